#ifndef STUB_STRING_H
#define STUB_STRING_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strcpy(char *to, const char *from);
#ifdef __cplusplus
}
const char *strstr(const char *text, const char *part);
const char *strchr(const char *text, int c);
const char *strrchr(const char *text, int c);
const void *memchr(const void *text, int c, size_t size);
inline char *strstr(char *text, const char *part) { return const_cast<char *>(strstr(static_cast<const char *>(text), part)); }
inline char *strchr(char *text, int c) { return const_cast<char *>(strchr(static_cast<const char *>(text), c)); }
inline char *strrchr(char *text, int c) { return const_cast<char *>(strrchr(static_cast<const char *>(text), c)); }
#else
char *strstr(const char *text, const char *part);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
void *memchr(const void *text, int c, size_t size);
#endif
#endif
