/* _keeper.c -- the allocator of worlds in Python. A block that an array shows (a view) is not given back before the array is gone: a view that is
   older than its world's last step shows what was there, or what came after it, and never memory of others. Views are few, so that a list does. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199309L
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* the address at which a view begins, and how many begin there; block: what was to be given back, NULL while the world has it */
typedef struct view {
    char *at, *block;
    size_t count;
} view;

typedef struct keeper {
    view *views;
    size_t n, room;
} keeper;

EXPORT keeper *contact_keeper_create(void)
{
    return calloc(1, sizeof(keeper));
}

/* views of one block share it: it goes with the last of them */
static void give_back(keeper *k, char *block)
{
    size_t i;
    for (i = 0; i < k->n; i++)
        if (k->views[i].block == block)
            return;
    free(block);
}

EXPORT void contact_keeper_destroy(keeper *k)
{
    size_t i;
    if (!k)
        return;
    for (i = k->n; i-- > 0;) {
        char *block = k->views[i].block;
        k->n = i;
        if (block)
            give_back(k, block);
    }
    free(k->views);
    free(k);
}

/* a view begins; 0: no memory */
EXPORT int contact_keeper_hold(keeper *k, void *at)
{
    size_t i, room = 2 * k->n + 8;
    for (i = 0; i < k->n; i++)
        if (k->views[i].at == (char *)at) {
            k->views[i].count++;
            return 1;
        }
    if (k->n == k->room) {
        view *more = realloc(k->views, room * sizeof *more);
        if (!more)
            return 0;
        k->views = more;
        k->room = room;
    }
    k->views[k->n].at = at;
    k->views[k->n].block = NULL;
    k->views[k->n].count = 1;
    k->n++;
    return 1;
}

/* a view ends. Its address is in the list once: what it shows is not given to anything else */
EXPORT void contact_keeper_release(keeper *k, void *at)
{
    size_t i;
    char *block;
    for (i = 0; i < k->n && k->views[i].at != (char *)at; i++)
        ;
    if (i == k->n || --k->views[i].count)
        return;
    block = k->views[i].block;
    k->views[i] = k->views[--k->n];
    if (block)
        give_back(k, block);
}

/* 1: a view shows the block, which therefore stays */
static int keep(keeper *k, char *block, size_t size)
{
    size_t i;
    int shown = 0;
    for (i = 0; i < k->n; i++)
        if (!k->views[i].block && k->views[i].at >= block && k->views[i].at < block + size) {
            k->views[i].block = block;
            shown = 1;
        }
    return shown;
}

/* ct_allocator.resize */
EXPORT void *contact_keeper_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    keeper *k = user;
    void *other;
    if (k->n == 0 || !block) {
        if (new_size)
            return realloc(block, new_size);
        free(block);
        return NULL;
    }
    other = new_size ? malloc(new_size) : NULL;
    if (new_size && !other)
        return NULL;
    if (other)
        memcpy(other, block, old_size < new_size ? old_size : new_size);
    if (!keep(k, block, old_size))
        free(block);
    return other;
}

EXPORT uint64_t contact_keeper_now_us(void *user)
{
    struct timespec t;
    (void)user;
    if (clock_gettime(CLOCK_MONOTONIC, &t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}
