/* failing.h -- an allocator whose request number `fail_at` (from 1) fails, for tests in which every allocation fails in turn. */
#pragma once

#include <stdlib.h>

static int fail_at, calls;
static void *failing(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++calls == fail_at ? NULL : realloc(block, new_size);
}
