#ifndef STUB_LOCALE_H
#define STUB_LOCALE_H
#define LC_NUMERIC 4
struct lconv {
    char *decimal_point;
};
#ifdef __cplusplus
extern "C" {
#endif
struct lconv *localeconv(void);
char *setlocale(int category, const char *locale);
#ifdef __cplusplus
}
#endif
#endif
