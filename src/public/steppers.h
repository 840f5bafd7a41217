/* steppers.h -- options of each stepper: ct_world_desc has one of each. */
#ifndef CTI_STEPPERS_H
#define CTI_STEPPERS_H

#include "methods.h"

/* ct_decouple -- which constraints CT_STEPPER_DCD keeps where several share a vertex. PIVOT (default): all that have a vertex of their own
   to move, made orthogonal by a change of unknowns; of two layers in contact it keeps about one layer's. DEEPEST: of those at a vertex the
   deepest alone, a quarter of all. RANDOM: any of them (solver.seed; as in the paper). NONE: all of them; the problem of the multipliers is then
   solved, which is slow. */
typedef enum ct_decouple {
    CT_DECOUPLE_DEEPEST,
    CT_DECOUPLE_RANDOM,
    CT_DECOUPLE_NONE,
    CT_DECOUPLE_PIVOT,
    CT_DECOUPLE_COUNT_
} ct_decouple;

/* ct_dcd_friction -- friction of CT_STEPPER_DCD, computed after the program, from its solution. IMPLICIT (default): non-penetration and Coulomb's
   cone together, solved to solver.tolerance as by CT_STEPPER_CMR. LOCAL: of the nodes of each contact alone (Bridson, Marino, Fedkiw 2003): costs
   nothing, holds small bodies only. */
typedef enum ct_dcd_friction {
    CT_DCD_FRICTION_NONE,
    CT_DCD_FRICTION_LOCAL,
    CT_DCD_FRICTION_IMPLICIT,
    CT_DCD_FRICTION_COUNT_
} ct_dcd_friction;

/* ct_dcd_desc -- options of CT_STEPPER_DCD. */
typedef struct ct_dcd_desc {
    int newton_iterations;    /* 1..100; default 1 (Li et al. 2015, section 6) */
    ct_decouple decouple;     /* default CT_DECOUPLE_PIVOT */
    ct_dcd_friction friction; /* default CT_DCD_FRICTION_IMPLICIT */
    int max_substeps;         /* 1..256: most substeps of a step in which features would pass through thin parts; 1: never; default 8 */
    ct_real substep_fraction; /* > 0: share of the local thickness by which a vertex may enter a part in one substep; default 0.5 */
    ct_real recovery;         /* (0, 1]: share of a penetration that one step removes, within recovery_speed; default 0.5. The paper: 1 */
    ct_real depth;            /* [m] >= 0: depth behind a triangle to which an open static mesh pushes vertices out; 0 (default): twice its
                                 mean edge */
} ct_dcd_desc;

/* ct_barrier_kind -- the potential of a contact at a distance d below dhat, by s = (d / dhat)^2: LOG: -(s - 1)^2 ln s (Li et al. 2020);
   RATIONAL: (1 - s)^3 / s, which keeps larger distances under large loads. */
typedef enum ct_barrier_kind { CT_BARRIER_LOG, CT_BARRIER_RATIONAL, CT_BARRIER_COUNT_ } ct_barrier_kind;

/* ct_barrier_form -- the forms in which CT_STEPPER_BARRIER solves a step (docs/forms.md). They serve comparison: POTENTIAL is the fast and
   robust one, and the only one with kinematic bodies and joints. The first three have barriers and the same result, but for
   newton_tolerance; the last two have constraints, need a solver for quadratic programs in the build, and keep dhat as a distance.
   POTENTIAL  minimizes the incremental potential, as above
   ROOT       finds a root of the equations of motion in positions and velocities: Newton's method with a line search on their norm
   DUAL       the same with the contacts' forces as further unknowns, for which each Newton step is solved
   POSITION   minimizes over positions q with phi(q) >= 0, phi being distances less dhat: sequential quadratic programs
   VELOCITY   minimizes over velocities u with phi + h J u >= 0, linearized at the start of the step: with newton_iterations 1 the problem of
              CT_STEPPER_CMR. Where the motion intersects all the same it ends on the way, with CT_STATUS_NOT_CONVERGED */
typedef enum ct_barrier_form { CT_FORM_POTENTIAL, CT_FORM_ROOT, CT_FORM_DUAL, CT_FORM_POSITION, CT_FORM_VELOCITY, CT_FORM_COUNT_ } ct_barrier_form;

/* ct_barrier_desc -- options of CT_STEPPER_BARRIER. */
typedef struct ct_barrier_desc {
    ct_barrier_kind kind;       /* default CT_BARRIER_LOG */
    ct_real dhat;               /* [m] >= 0: distance below which surfaces repel each other; 0 (default): a pair's thickness */
    ct_real friction_velocity;  /* [m/s] > 0: speed below which friction is less than mu times the normal force, so that what should
                                   stick creeps by a share of it (but see static_hold); default 1e-3 */
    ct_real newton_tolerance;   /* [m/s] > 0: a step ends when no velocity changes by more; default 1e-3 */
    int friction_iterations;    /* 0 (default): normal forces and directions of friction are those of the end of the step, and ok covers them.
                                   Above 0: solves of a step, each with those that the last one left, as in IPC; ok says nothing of friction then */
    int newton_iterations;      /* 1..100000: most of a step; then the step is taken with CT_STATUS_BUDGET. As many again where it would take points
                                   or rods through each other. Default 200 */
    ct_real stiffness;          /* [N] >= 0: force of a pair at a distance where dhat times the barrier's slope is 1; 0 (default): from
                                   masses, gravity and the forces of the last step */
    ct_barrier_form form;       /* default CT_FORM_POTENTIAL */
    int static_hold;            /* 1: friction below its limit holds still after a displacement of at most friction_velocity times the step, which
                                   contacts remember, instead of creeping; default 0 */
} ct_barrier_desc;

/* ct_geometric_scheme -- how corrections of many collisions are found: GLOBAL: all at once, by conjugate gradients; SUCCESSIVE: one after the
   other, the nearest first (Volino, Magnenat-Thalmann 2000, sec. 3.1). */
typedef enum ct_geometric_scheme { CT_GEOMETRIC_GLOBAL, CT_GEOMETRIC_SUCCESSIVE, CT_GEOMETRIC_COUNT_ } ct_geometric_scheme;

/* ct_geometric_desc -- options of CT_STEPPER_GEOMETRIC. Distances are shares of a pair's thickness. */
typedef struct ct_geometric_desc {
    ct_geometric_scheme scheme;    /* default CT_GEOMETRIC_GLOBAL */
    int cg_turns;                  /* 1..10000: most turns of a solve of the global scheme; default 24 */
    int active_set;                /* 0..100. Above 0 collisions only push, and a solve has at most cg_turns times 1 + 2 active_set turns; 0: all
                                      collisions are equations, as in the paper; default 16 */
    int sweeps;                    /* 1..10000: passes of the successive scheme over its list; default 4 */
    ct_real position_distance;     /* [0, 1] distance that positions are corrected to; default 0.5 */
    ct_real speed_distance;        /* [0, 1] distance that speeds keep at the end of a substep; default 0.8 */
    ct_real acceleration_distance; /* [0, 1] distance that accelerations lead to; default 1 */
    ct_real displacement;          /* > 0: most approach of colliding features in a substep, over the larger of distance and thickness; default 1 */
    int max_substeps;              /* 1..256: most substeps of a step; default 8 */
    int fail_safe;                 /* 1: blocks of features that would cross are stopped; 0: they cross, and the report counts it. Default 1 */
    int regions;                   /* 1: a surface's pairs with itself come from its hierarchy of regions, and smooth regions are left out
                                      (docs/regions.md); 0: from box trees, all of them. Default 1 */
    int residual_state;            /* with CT_INTEGRATOR_MIDPOINT. 1: what the second half of a step adds to speeds between features that push each
                                      other is taken away again; 0: it stays, and contacts bounce. Default 1 */
    ct_real interaction_damping;   /* [0, 1]: share of the sliding that a substep takes from features that also touch others. Without it layers
                                      that are pressed upon each other without friction gain energy; default 0 */
} ct_geometric_desc;

/* ct_layers_desc -- options of CT_STEPPER_LAYERS. Layer l of a pair of thickness nu_1 is nu_l = nu_1 l^(-1/4) thick, a spring of k_l = k_1 l^3. */
typedef struct ct_layers_desc {
    ct_real clock;       /* (0, 0.5] time between two events of an element, at most, over the limit of its stability; default 1/16 */
    ct_real layer_clock; /* (0, 0.5] the same of a layer with all layers outside of it; default 0.02 */
    ct_real depth;       /* (0, 1] share of the world's thickness by which its own weight, at 9.81 m/s^2 or the world's gravity if that is more,
                            presses the lighter side of a pair into its first layer: it sets k_1; default 1/16 */
    int max_layers;      /* 1..100000: layers of a pair; a step ends early, with CT_STATUS_BUDGET, where a pair would need more. Default 4096: a
                            distance of 1/8 of the thickness */
    int max_updates;     /* >= 1: elements and pairs that a step evaluates, about; then it ends early, with CT_STATUS_BUDGET; default 20,000,000 */
} ct_layers_desc;

/* ct_penalty_form -- how CT_STEPPER_PENALTY adds the forces of contacts to a substep h: EXPLICIT: those of its start are external forces; stable
   only for short substeps. IMPLICIT: those of its end, J'(h^2 k + h b) J in the matrix of the step (Xu et al. 2014); stable for every h. */
typedef enum ct_penalty_form { CT_PENALTY_IMPLICIT, CT_PENALTY_EXPLICIT, CT_PENALTY_FORM_COUNT_ } ct_penalty_form;

/* ct_penalty_depth -- what the depth of a contact is. PROXIMITY: pairs of features nearer than their thickness, the depth being what they are
   nearer by. INSIDE: vertices inside of closed surfaces (of rigid, soft, static and kinematic bodies) and behind planes, the depth being the
   distance to the nearest triangle, which is where they are pushed out; edges do not meet there, and a body does not meet itself. */
typedef enum ct_penalty_depth { CT_PENALTY_PROXIMITY, CT_PENALTY_INSIDE, CT_PENALTY_DEPTH_COUNT_ } ct_penalty_depth;

/* ct_penalty_friction -- ANCHOR: a spring from the contact's anchor a to its point p, k_f (a - p) and the damper; where that exceeds mu times
   the normal force, the anchor moves so that it does not. VELOCITY: mu times the normal force against the tangential velocity, no stiction:
   what should stick creeps. NONE. */
typedef enum ct_penalty_friction {
    CT_PENALTY_ANCHOR,
    CT_PENALTY_VELOCITY,
    CT_PENALTY_FRICTIONLESS,
    CT_PENALTY_FRICTION_COUNT_
} ct_penalty_friction;

/* ct_contact_material -- springs and dampers of a body's contacts (ct_body_set_contact). A value that is not set (-1) is the world's; a pair has
   the harmonic mean of its two bodies' values. Friction coefficients are the bodies' own, by their descriptions. */
typedef struct ct_contact_material {
    ct_real stiffness;          /* [N/m] k_s > 0 */
    ct_real damping;            /* [N s/m] b >= 0 */
    ct_real friction_stiffness; /* [N/m] k_f > 0 */
} ct_contact_material;

/* ct_penalty_desc -- options of CT_STEPPER_PENALTY. */
typedef struct ct_penalty_desc {
    ct_penalty_form form;         /* default CT_PENALTY_IMPLICIT */
    ct_penalty_depth depth;       /* default CT_PENALTY_PROXIMITY */
    ct_penalty_friction friction; /* default CT_PENALTY_ANCHOR */
    ct_real stiffness;            /* [N/m] k_s of each contact >= 0; 0 (default): a contact that carries the lighter body alone has a depth of a
                                     tenth of the thickness */
    ct_real damping;              /* [N s/m] b of each contact; -1 (default): the explicit form has the damper that the world's restitution asks
                                     for, the implicit one critical damping of the contact's own mass */
    ct_real friction_stiffness;   /* [N/m] k_f of each contact >= 0; 0 (default): as the stiffness */
    ct_real friction_velocity;    /* [m/s] > 0: speed below which VELOCITY friction is less than mu times the normal force; default 1e-3 */
    int warp;                     /* 1: contacts that the motion of the step would make act in it, warped back to its start along their normal;
                                     0: only what touches at the start. Default 1 */
    int iterations;               /* 1..1000: linear solves of a substep of the implicit form; default 100 */
    int max_substeps;             /* 1..4096: most substeps of a step of the explicit form, cut for stability; default 256 */
} ct_penalty_desc;

/* Refinement of soft bodies near other bodies: NONE; SURFACE: middles of edges are contact nodes, elements stay; ELEMENTS: elements at the surface
   are split before a step in which another body comes near, and stay so. Vertices and nodes of the interface stay those of the mesh that
   was given: nodes that are added do not appear in it. Steps get shorter with the elements. Bodies with an embedded surface are not refined. */
typedef enum ct_refine { CT_REFINE_NONE = 0, CT_REFINE_SURFACE = 1, CT_REFINE_ELEMENTS = 2, CT_REFINE_COUNT_ } ct_refine;

/* How the forces of a region of contacts are found: ACTIVE_SET, by Lawson and Hanson's method from the set of the stage before; INTERIOR_POINT, by
   the logarithmic barriers of Hong 2006, sec. 4, from the start in every stage. Both solve the same problem. */
typedef enum ct_explicit_program { CT_EXPLICIT_ACTIVE_SET = 0, CT_EXPLICIT_INTERIOR_POINT = 1, CT_EXPLICIT_PROGRAM_COUNT_ } ct_explicit_program;

/* What is done where bodies meet. REGION: contacts of a region collide together, and come to rest on the surface; steps end at first touches.
   NODE: the rules that Hong 2006 prints: contacts collide one after the other, forces keep d'' >= 0 alone, and no step is taken again for a touch.
   NODE has no contacts of middles of edges. */
typedef enum ct_explicit_rules { CT_EXPLICIT_REGION = 0, CT_EXPLICIT_NODE = 1, CT_EXPLICIT_RULES_COUNT_ } ct_explicit_rules;

/* ct_explicit_desc -- options of CT_STEPPER_EXPLICIT (docs/explicit.md). Lengths of contacts are shares of the smaller mean edge of the two
   bodies' surfaces, or of that of the soft one; those of errors are shares of the mean edge of all soft bodies. */
typedef struct ct_explicit_desc {
    ct_real tolerance;      /* > 0: most error of a position in a Runge-Kutta step, by step doubling or by the rule; longer steps are taken again.
                               Where an element's shortest height is below a third of the mean edge, the share is of thrice that height; 1e-4 */
    ct_real fixed_step;     /* [s] >= 0: length of all Runge-Kutta steps, whatever their error is; 0 (default): adaptive. ct_world_step refuses
                               (CT_ERR_UNSUPPORTED) steps beyond the bound of the bodies at rest, which the text names */
    int extrapolate;        /* 1: the error that step doubling finds is added to the result, which is then of fifth order; default 0 */
    ct_explicit_program program; /* default CT_EXPLICIT_ACTIVE_SET */
    ct_explicit_rules rules;     /* default CT_EXPLICIT_REGION */
    int edges;              /* 1 (default): contacts between edges, too; 0: between vertices and faces alone, as the paper advises for fine meshes:
                               edges then pass each other, by up to half an element, in steps that are `ok` */
    ct_refine refine;       /* one level of refinement in regions of contact; default CT_REFINE_NONE */
    int element_pressure;   /* 1: the pressure of HONG_NEOHOOKEAN is each tetrahedron's own, which locks near nu = 1/2; default 0: the mean of
                               its nodes' */
    ct_real penetration;    /* (0, 0.1] legal penetration of contacts, 1/1000 in the paper; default 1e-3 */
    ct_real bulk_viscosity; /* [0, 10] damping of pressure waves: b in the stress b rho c l tr d; default 0.06 */
    int max_steps;          /* 1..1e8: most Runge-Kutta steps of a step; after them the world stands still until its end (BUDGET); default 100000 */
} ct_explicit_desc;

#endif /* CTI_STEPPERS_H */
