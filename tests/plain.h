/* plain.h -- shortens tests under sanitizers, which make them ten times slower; a few cases of each kind show a wrong address. `make test` runs a
   test that uses it without sanitizers, too, and all others only with them. */
#ifndef TEST_PLAIN_H
#define TEST_PLAIN_H

/* PLAIN_TEST -- an entry of a test list that is left out under sanitizers; shorter tests cover its code paths */
/* PLAIN_OR -- `plain` without sanitizers, `sanitized` with them: number of cases, or of allocations that fail in turn, all or some */
#ifdef __SANITIZE_ADDRESS__
#define PLAIN_TEST(f)
#define PLAIN_OR(plain, sanitized) (sanitized)
#else
#define PLAIN_TEST(f) cmocka_unit_test(f),
#define PLAIN_OR(plain, sanitized) (plain)
#endif

#endif
