/* plain.h -- shortens tests under sanitizers, which make them ten times slower; a few cases of each kind show a wrong address. */
#ifndef TEST_PLAIN_H
#define TEST_PLAIN_H

/* PLAIN_TEST -- an entry of a test list that is left out under sanitizers; its code paths have shorter tests */
/* PLAIN_OR -- a count that is `plain` without sanitizers and `sanitized` with them: of places that memory may run out in, all and some */
#ifdef __SANITIZE_ADDRESS__
#define PLAIN_TEST(f)
#define PLAIN_OR(plain, sanitized) (sanitized)
#else
#define PLAIN_TEST(f) cmocka_unit_test(f),
#define PLAIN_OR(plain, sanitized) (plain)
#endif

#endif
