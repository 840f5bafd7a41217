/* Declarations as cl.exe's library has them, as far as contact.h uses them: enough to check syntax, nothing links. */
#ifndef STUB_STDLIB_H
#define STUB_STDLIB_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
void *_aligned_malloc(size_t size, size_t alignment);
void _aligned_free(void *memory);
void qsort(void *base, size_t count, size_t size, int(__cdecl *compare)(const void *, const void *));
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
__declspec(noreturn) void abort(void);
int abs(int x);
#ifdef __cplusplus
}
#endif
#endif
