/* methods.h -- the steppers and solvers: their lists, which all else that names them is made from. */
#ifndef CTI_METHODS_H
#define CTI_METHODS_H

#include "config.h"

/* Steppers: name, number, the word in scene files, switch. This list makes the enum, the texts and the table of the built steppers. A new
   stepper is a line here, its switch in config.h, and a function cti_stepper_<word> (8_step/stepper.h); docs/step.md lists the other
   places. A number never changes its meaning. */
#define CT_STEPPER_LIST(X)                                                                                                                 \
    X(CT_STEPPER_CMR, 0, cmr, CONTACT_WITH_CMR)                                                                                            \
    X(CT_STEPPER_DCD, 1, dcd, CONTACT_WITH_DCD)                                                                                            \
    X(CT_STEPPER_BARRIER, 2, barrier, CONTACT_WITH_BARRIER)                                                                                \
    X(CT_STEPPER_LAYERS, 3, layers, CONTACT_WITH_LAYERS)                                                                                   \
    X(CT_STEPPER_PENALTY, 4, penalty, CONTACT_WITH_PENALTY)                                                                                \
    X(CT_STEPPER_GEOMETRIC, 5, geometric, CONTACT_WITH_GEOMETRIC)                                                                          \
    X(CT_STEPPER_EXPLICIT, 6, explicit, CONTACT_WITH_EXPLICIT)
#define CT_STEPPER_ENUM(name, number, word, built) name = number,
typedef enum ct_stepper { CT_STEPPER_LIST(CT_STEPPER_ENUM) CT_STEPPER_COUNT_ } ct_stepper;
#undef CT_STEPPER_ENUM

#define CT_STEPPER_OR(name, number, word, built) || (built)
#if !(0 CT_STEPPER_LIST(CT_STEPPER_OR))
#error "contact.h: a world needs a stepper; leave CONTACT_WITH_CMR, _DCD, _BARRIER, _LAYERS, _PENALTY, _GEOMETRIC or _EXPLICIT at 1"
#endif
#undef CT_STEPPER_OR

/* Solvers: a list like that of steppers. The last column is 1 for solvers of worlds and of problems without a world, 0 for solvers of the
   latter alone. A solver is a function cti_solver_<word> (4_programs/program.h). CT_SOLVER_AUTO, number 0, chooses among them.
   CT_SOLVER_LIST_OWN has the solvers that belong to one stepper: no other world and no problem takes them. CT_SOLVER_ICA solves worlds in
   every build; its switch is for problems without a world. In worlds CT_SOLVER_CA is another name of CT_SOLVER_PGS: the matrix between
   contacts, on which both work there, is full anticipation already. */
#define CT_SOLVER_LIST(X)                                                                                                                  \
    X(CT_SOLVER_ICA, 1, ica, CONTACT_WITH_ICA, 1)                                                                                          \
    CT_SOLVER_LIST_OPTIONAL(X)
#define CT_SOLVER_LIST_OPTIONAL(X)                                                                                                         \
    X(CT_SOLVER_CA, 2, ca, CONTACT_WITH_CA, 1)                                                                                             \
    X(CT_SOLVER_PGS, 3, pgs, CONTACT_WITH_PGS, 1)                                                                                          \
    X(CT_SOLVER_LEMKE, 4, lemke, CONTACT_WITH_LEMKE, 0)                                                                                    \
    X(CT_SOLVER_BOXED, 5, boxed, CONTACT_WITH_BOXED, 0)                                                                                    \
    X(CT_SOLVER_ACTIVE_SET, 6, active_set, CONTACT_WITH_ACTIVE_SET, 1)                                                                     \
    X(CT_SOLVER_MPRGP, 7, mprgp, CONTACT_WITH_MPRGP, 1)                                                                                    \
    X(CT_SOLVER_INTERIOR, 8, interior, CONTACT_WITH_INTERIOR, 1)                                                                           \
    X(CT_SOLVER_NEWTON, 10, newton, CONTACT_WITH_NEWTON, 1)                                                                                \
    X(CT_SOLVER_ADMM, 11, admm, CONTACT_WITH_ADMM, 1)
#define CT_SOLVER_LIST_OWN(X) X(CT_SOLVER_GEOMETRIC_CG, 9, geometric_cg, CONTACT_WITH_GEOMETRIC, CT_STEPPER_GEOMETRIC)
#define CT_SOLVER_ENUM(name, number, word, built, worlds) name = number,
typedef enum ct_solver {
    CT_SOLVER_AUTO = 0,
    CT_SOLVER_LIST_OWN(CT_SOLVER_ENUM) CT_SOLVER_LIST(CT_SOLVER_ENUM) CT_SOLVER_COUNT_
} ct_solver;
#undef CT_SOLVER_ENUM

#endif /* CTI_METHODS_H */
