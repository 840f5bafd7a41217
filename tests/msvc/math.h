#ifndef STUB_MATH_H
#define STUB_MATH_H
#define HUGE_VAL ((double)(1e300 * 1e300))
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (INFINITY * 0.0F)
#ifdef __cplusplus
extern "C" {
#endif
double sqrt(double x);
float sqrtf(float x);
double fabs(double x);
float fabsf(float x);
double floor(double x);
float floorf(float x);
double remainder(double x, double y);
double frexp(double x, int *exponent);
double ldexp(double x, int exponent);
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
#ifdef __cplusplus
}
#endif
#endif
