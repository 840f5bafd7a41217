/* static_b.c -- the second file of a program with two private copies: see static_a.c. */
#define static_a_bits static_b_bits
#define static_a_height static_b_height
#include "static_a.c"
#undef static_a_bits
#undef static_a_height
#include <math.h>
#include <stdio.h>

int static_a_bits(void);
double static_a_height(void);

int main(void)
{
    /* g t^2 / 2 */
    double exact = 1 - 9.81 / 2 * 0.2 * 0.2, a = static_a_height(), b = static_b_height();
    if (static_a_bits() != A_BITS || static_b_bits() != B_BITS)
        return printf("bits %d and %d\n", static_a_bits(), static_b_bits());
    if (!(fabs(a - exact) < 1e-5 && fabs(b - exact) < 1e-5))
        return printf("heights %.9f and %.9f, not %.9f\n", a, b, exact);
    return 0;
}
