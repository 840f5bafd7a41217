/* layers_policy.h -- the tuned numbers of the layers stepper, as in 8_step/policy_numbers.h. docs/policy.md has what was tried. */
#pragma once

#include "../0_base/tuned.h"
#include "../1_math/real.h"

/* clang-format off */
#define CTI_TUNED_LAYERS_CLOCK(X) \
    X(double, stiffen, 1.5, "1", "factor of w^2, for elements that are stiffer than at rest when they are deformed") \
    X(double, fall, 0.01, "thicknesses", "deviation of a block in free fall between two events of gravity, at most") \
    X(double, decay, 0.1, "1", "share of its speed that mass damping takes from a block in one event at most; exact to second order") \
    X(double, phase_nodes, 1.0, "rad", "of the fastest vibration at its nodes that pass between two events of an element, at most") \
    X(double, phase_layers, 4.0, "rad", \
      "of the first four layers together that pass between two events of an element at a surface, over layers.clock, at most") \
    X(double, courant, 0.05, "1", "motion of a node between two events of an element, over the element's height, at most")

#define CTI_TUNED_LAYERS_EVENT(X) \
    X(double, overrelax, 1.9, "1", "largest impulse of friction in an event, over the one that stops the sliding, which dissipates up to 2") \
    X(double, blend, 0.5, "1", \
      "the share of restitution falls from 1 to e^2 while the mean of a pair's velocities before and after an event rises from 0 to this part " \
      "of what the event's full impulse changes") \
    X(double, sticks, 0.999, "1", "a contact sticks where friction takes less than this share of mu times the normal impulse") \
    X(double, weight, 9.81, "m/s^2", "acceleration that sets the first layer's stiffness where gravity is less")

#define CTI_TUNED_LAYERS_WINDOW(X) \
    X(double, energy, 5e-3, "1", \
      "error of a step's energy over the energy that it exchanges, above which it counts as not converged: explicit steps exchange energy " \
      "with their own error, for a time") \
    X(ct_real, slack, CTI_R(0.5), "thicknesses", "reach beyond the expected deviations. Half: more queries; double: more pairs") \
    X(double, nearer, 0.2, "1", "share of its distance by which a pair may come nearer in a window") \
    X(double, safety, 1.5, "1", "expected deviation, over that of the last window") \
    X(int, grow, 3, "1", "length of a window over that of the last one, at most") \
    X(double, least, 1e-3, "thicknesses", "deviation that is always expected") \
    X(int, first, 64, "1", "length of the step over that of its first window") \
    X(double, most, 2.0, "thicknesses", "deviation that a window may expect: more would make many pairs candidates") \
    X(int, ahead, 8, "windows", "time for which candidates are complete, if the step is as long") \
    X(ct_real, round, 64, "ulp of coordinates", "rounding of a distance") \
    X(int, parts, 8, "parts", \
      "of a window, at whose ends it is tested. `pinch` (27 steps) and cloth_on_sphere (120) evaluate 109 and 376 million elements and pairs " \
      "with 1, 94 and 355 with 4, 92 and 352 with 8, 91 and 350 with 16") \
    X(int, tries, 60, "tries", "of one window, each at most half as long as the one before")

#define CTI_LAYERS_GROUPS(G) \
    G(cti_layers_tuned, clock, CTI_TUNED_LAYERS_CLOCK) \
    G(cti_layers_tuned, event, CTI_TUNED_LAYERS_EVENT) \
    G(cti_layers_tuned, window, CTI_TUNED_LAYERS_WINDOW)
/* clang-format on */

/* capacities of arrays, and the resolution of time */
enum {
    CTI_LAYERS_LOG = 40,    /* [bits] a step has 2^LOG ticks */
    CTI_LAYERS_LEVELS = 36, /* [1] highest level of a clock */
    CTI_LAYERS_TERMS = 16   /* [blocks] of a contact: four vertices of four nodes each */
};

typedef struct cti_layers_numbers {
    CTI_LAYERS_GROUPS(CTI_TUNED_GROUP_FIELD)
} cti_layers_numbers;
CTI_TUNED_CONST cti_layers_numbers cti_layers_tuned = {CTI_LAYERS_GROUPS(CTI_TUNED_GROUP_VALUE)};
