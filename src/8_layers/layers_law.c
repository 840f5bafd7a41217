/* layers_law.c -- thickness, stiffness and clocks of the layers.
   Method: layer l of a pair is a spring of the gap g_l = |x_b - x_a| - nu_l, V_l = k_l g_l^2 / 2 where g_l <= 0 [lecture notes 4.5], with nu_l = nu_1
   l^(-1/4) and k_l = k_1 l^3. At distance 0 layer l stores k_1 nu_1^2 l^(5/2) / 2: the sum over all l diverges, so that no energy reaches it. Layers
   1 .. l act together with k_1 (1 + 8 + ... + l^3) = k_1 (l (l + 1) / 2)^2. A clock's period is a share of the stability limit 2 / W of that, W^2 the
   ratio of this stiffness and the pair's mass. Periods are the step over powers of two, so that all clocks are at the end of a part when a step ends:
   the step is then a symmetric composition, of second order. based on: lecture notes 4.5; Harmon et al. 2009, as they describe it. */
#include "layers.h"

CTI_FN double cti_layers_thickness(int l) { return 1 / sqrt(sqrt((double)l)); }

CTI_FN int cti_layers_reached(double s)
{
    double q;
    int l;
    if (s >= 1)
        return 0;
    if (!(s > 1e-2)) /* s^-4 does not fit */
        return INT32_MAX;
    q = 1 / (s * s), q *= q;
    l = (int)q;
    while (l > 0 && cti_layers_thickness(l) <= s)
        l--;
    while (cti_layers_thickness(l + 1) > s)
        l++;
    return l;
}

CTI_FN double cti_layers_force(double s, int first, int last, double *out_energy)
{
    double force = 0, energy = 0;
    int l;
    for (l = first; l <= last; l++) {
        double g = cti_layers_thickness(l) - s, k = (double)l * (double)l * (double)l;
        if (g <= 0)
            break;
        force += k * g;
        energy += k * g * g / 2;
    }
    if (out_energy)
        *out_energy = energy;
    return force;
}

CTI_FN double cti_layers_period(double w, int l, double share) { return 4 * share / (w * (double)l * ((double)l + 1)); }

CTI_FN int cti_layers_level(double dt, double h)
{
    int level = 0;
    while (level < CTI_LAYERS_LEVELS && !(dt <= h)) {
        dt /= 2;
        level++;
    }
    return level;
}

CTI_FN int64_t cti_layers_next(int64_t t, int level)
{
    int64_t half = (int64_t)1 << (CTI_LAYERS_LOG - 1 - level), k = t / half + 1;
    return (k % 2 ? k : k + 1) * half;
}

CTI_FN int64_t cti_layers_previous(int64_t t, int level)
{
    int64_t whole = (int64_t)1 << (CTI_LAYERS_LOG - level), half = whole / 2;
    return t < half ? -1 : (t - half) / whole * whole + half;
}

CTI_FN int64_t cti_layers_lag(int64_t t, int level)
{
    int64_t whole = (int64_t)1 << (CTI_LAYERS_LOG - level), since = t % whole;
    return 2 * since >= whole ? since - whole : since;
}
