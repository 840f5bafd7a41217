/* rod.h -- bending and twist of rods: discrete elastic rods with a material frame at every segment. (Stretch is a spring, spring.h.)
   A segment's frame is its tangent t, a director d that is perpendicular to it, and c = t x d. The director is where a point of the segment's own,
   the frame's node g, lies around it: d = unit of the part of g - (x0 + x1) / 2 that is perpendicular to t. Of the node's three unknowns one is the
   twist. The two others, its distance from the segment and its place along it, are held by a stiffness that no other energy feels: bending and
   twist depend on the direction d alone.
   Why a node and not an angle: energies are then functions of points, x, with no reference frame to keep from step to step. A frame turns with its
   rod, is saved and restored, is pinned, and follows a script as every other node does, and clamped ends, scripted turns, closed rods and twist
   that contacts hold need no special case. A quasi-static angle of one rod is simpler only where the rod is straight and isotropic, and couples all
   its nodes. A frame's node has about a millionth of its segment's mass (cti_rod_frame_mass). So twist follows the rod without inertia of its
   own, as in Bergou 2008, 5.1, and gravity does not turn it.
   Limits: the twist between two neighbouring segments is in (-pi, pi]. */
#pragma once

#include "element.h"
#include "material.h"

enum { CTI_ROD_REST = 8, CTI_ROD_MEASURES = 5 };

/* cti_rod_law -- what a rod resists with. */
typedef struct cti_rod_law {
    ct_real bend[2];      /* [N m^2] in the plane of t and d, and in that of t and c */
    ct_real torsion;      /* [N m^2] > 0 */
    ct_real line_density; /* [kg/m] */
    ct_real curvature;    /* [1] share of the curvature at X that is natural: 1, the rod rests as it is; 0, it rests straight */
    ct_real twist;        /* [rad/m] natural twist, beyond that of the frames at X */
    ct_real direction[3]; /* d at X is this vector's part perpendicular to the segment; 0: frames follow each other without twist */
} cti_rod_law;

/* cti_rod_desc -- what a rod is made from, in local numbers. */
typedef struct cti_rod_desc {
    const ct_material *material; /* its damping */
    const cti_rod_law *law;
    ct_real stretch;             /* E A [N] */
    const ct_real *X;            /* [3 (n_nodes + n frames)] nodes, then frames */
    int n_nodes, n_segments, n_joints, has_frames; /* 0: stretch alone; then there are no frames */
    const int32_t *segments, *joints;              /* of cti_rod_strands */
} cti_rod_desc;

/* cti_rod_batch -- zero it before first use. Joints are where a segment continues another. */
typedef struct cti_rod_batch {
    int n, n_joints;
    ct_real damping_stiffness;
    int32_t *node;       /* [3 n] of a segment: begin, end in its strand's direction, frame */
    int32_t *joint_node; /* [5 n_joints] begin, middle, end; frames before and after the middle */
    int32_t *slot;       /* [9 n] */
    int32_t *joint_slot; /* [25 n_joints] */
    ct_real *hold;       /* [2 n] stiffness [N/m] that holds the frame's node, and its distance [m] */
    ct_real *rest;       /* [8 n_joints] stiffness [N m] of curvature 1, of curvature 2 (each of both frames), of twist; then the five measures
                            at rest */
} cti_rod_batch;

/* cti_rod_strands -- segments that continue each other. A node of two segments joins them; of more, those that are each other's best continuation
   within 30 degrees. *out_segments [2 ns]: the segments, each in the direction of its strand; *out_joints [2 nj]: segment before, segment after.
   0: out of memory. */
CTI_FN int cti_rod_strands(cti_mem *mem, const ct_real *X, int n_nodes, const int32_t *segments, int ns, int32_t **out_segments,
                           int32_t **out_joints);
/* cti_rod_frames -- out [3 ns]: the frames' nodes at X, a segment's length away from its middle. */
CTI_FN void cti_rod_frames(const cti_rod_law *law, const ct_real *X, const int32_t *segments, int ns, const int32_t *joints, int nj,
                           ct_real *out);
/* cti_rod_along -- the first segment that law->direction lies along, or -1. cti_rod_joint_length -- half the length of both segments of joint j. */
CTI_FN int cti_rod_along(const cti_rod_desc *d);
CTI_FN ct_real cti_rod_joint_length(const cti_rod_desc *d, int j);
/* cti_rod_batch_init -- |twist| of a joint's length below pi, node_offset as in tet.h. 1; 0: out of memory; -1: a segment without length: its number
   and its length. */
CTI_FN int cti_rod_batch_init(cti_mem *mem, cti_rod_batch *t, const cti_rod_desc *d, int node_offset, int64_t *out_bad, double *out_value);
CTI_FN void cti_rod_batch_shift(cti_rod_batch *t, int by);
/* K is Gauss-Newton's part of the Hessian, sum k grad q grad q' over the measures q (exact where all are at rest, positive semidefinite always) */
CTI_FN void cti_rod_batch_assemble(const cti_rod_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, double *out_energy);
/* out [3 nodes] += D(x) v, D = damping_stiffness K; frames are held without damping */
CTI_FN void cti_rod_batch_damping(const cti_rod_batch *t, const ct_real *x, const ct_real *v, ct_real *out);
/* cti_rod_measures -- of the joint of nodes [5]: curvature 1 and 2 in the frame before and in the one after it, and its twist [rad]. Returns half the
   length of both segments. */
CTI_FN ct_real cti_rod_measures(const ct_real *x, const int32_t *node, ct_real q[CTI_ROD_MEASURES]);

/* cti_rod_frame_mass -- [kg] of the frame's node of a segment of length l. */
CTI_FN ct_real cti_rod_frame_mass(const cti_rod_law *law, ct_real l);
