/* rotation.c -- finds rigid bodies whose rotation is too large for the step.
   Method: rows and straight motions describe a rotation only while it is small. A body without rows needs neither: its free rotation is known for any
   angle (rigid.c), and while its bounding sphere meets no other body, none of its features does, during the motion and at its end. The box of the
   sphere's motion is compared with the boxes of the others' motions: first bodies, then faces, edges and vertices of those that overlap. */
#include "rotation.h"
#include "linkage.h"
#include "policy.h"

/* adds both ends of a vertex's motion */
static void cti_rotation_add_vertex(cti_box *b, const cti_surface *f, int v)
{
    cti_box_add(b, cti_v3_at(f->x0, v));
    cti_box_add(b, cti_v3_at(f->x1, v));
}

/* 1 if two boxes are farther than h apart along some axis */
static int cti_rotation_is_apart(const cti_box *a, const cti_box *b, ct_real h)
{
    return a->lo.x > b->hi.x + h || b->lo.x > a->hi.x + h || a->lo.y > b->hi.y + h || b->lo.y > a->hi.y + h || a->lo.z > b->hi.z + h ||
           b->lo.z > a->hi.z + h;
}

/* the rigid body with this surface, or -1 */
static int cti_rotation_rigid(const cti_surface *f, int body)
{
    const cti_soup_body *range = &f->ranges[body];
    const cti_attach *a = range->v1 > range->v0 ? cti_surface_attach(f, range->v0) : NULL;
    return a && a->n > 0 ? a->frame : -1;
}

/* box of the motion of a rigid body's bounding sphere; returns its radius */
static ct_real cti_rotation_sphere(const cti_state *s, int body, int rigid, cti_box *out)
{
    const cti_soup_body *range = &s->surface.ranges[body];
    int block = s->bodies.rigids[rigid].block;
    ct_real r = 0;
    int v;
    for (v = range->v0; v < range->v1; v++)
        r = cti_max(r, cti_v3_norm2(cti_v3_at(cti_surface_attach(&s->surface, v)->weight, 0)));
    r = cti_sqrt(r);
    *out = cti_box_empty();
    cti_box_add(out, cti_v3_at(s->x, block)), cti_box_add(out, cti_v3_at(s->end.x, block));
    out->lo = cti_v3_sub(out->lo, cti_v3_make(r, r, r)), out->hi = cti_v3_add(out->hi, cti_v3_make(r, r, r));
    return r;
}

/* 1 if no element of a body comes within h of the box */
static int cti_rotation_elements_apart(const cti_surface *f, const cti_soup_body *b, const cti_box *box, ct_real h)
{
    int i, k;
    for (i = b->f0; i < b->f1; i++) {
        cti_box e = cti_box_empty();
        for (k = 0; k < 3; k++)
            cti_rotation_add_vertex(&e, f, f->faces[3 * i + k]);
        if (!cti_rotation_is_apart(box, &e, h))
            return 0;
    }
    for (i = b->e0; i < b->e1; i++) {
        cti_box e = cti_box_empty();
        cti_rotation_add_vertex(&e, f, f->edges[2 * i]), cti_rotation_add_vertex(&e, f, f->edges[2 * i + 1]);
        if (!cti_rotation_is_apart(box, &e, h))
            return 0;
    }
    for (i = b->v0; i < b->v1; i++) {
        cti_box e = cti_box_empty();
        cti_rotation_add_vertex(&e, f, i);
        if (f->is_point[i] && !cti_rotation_is_apart(box, &e, h))
            return 0;
    }
    return 1;
}

/* 1 if the sphere's motion meets no other body and no plane. boxes [bodies] contain their motions, where they rotate far their spheres' motions */
static int cti_rotation_is_alone(const cti_state *s, int body, int rigid, const cti_box *boxes, const uint8_t *rotates_far)
{
    const cti_surface *f = &s->surface;
    const cti_rigid *r = &s->bodies.rigids[rigid];
    cti_box box;
    ct_real radius = cti_rotation_sphere(s, body, rigid, &box);
    int i;
    for (i = 0; i < f->n_bodies; i++) {
        ct_real h = cti_surface_pair_thickness(f, body, i);
        if (!cti_rotation_is_apart(&box, &boxes[i], h) && cti_broad_may_meet(&f->soup, i, body) &&
            (rotates_far[i] || !cti_rotation_elements_apart(f, &f->ranges[i], &box, h)))
            return 0;
    }
    for (i = 0; i < f->n_planes; i++) {
        const cti_plane *p = &f->planes[i];
        ct_real gap = cti_min(cti_plane_gap(p, cti_v3_at(s->x, r->block)), cti_plane_gap(p, cti_v3_at(s->end.x, r->block)));
        if (cti_surface_meets(f, i, body) && !(gap > radius + cti_surface_pair_thickness(f, body, p->body)))
            return 0;
    }
    return 1;
}

/* marks the surfaces of rigid bodies with large rotations in rotates_far [bodies], and boxes the motions of all surfaces */
static void cti_rotation_boxes(const cti_state *s, const uint8_t *turns, uint8_t *rotates_far, cti_box *boxes)
{
    int i, v;
    for (i = 0; i < s->surface.n_bodies; i++) {
        int rigid = cti_rotation_rigid(&s->surface, i);
        boxes[i] = cti_box_empty();
        rotates_far[i] = (uint8_t)(rigid >= 0 && turns[rigid]);
        if (rotates_far[i])
            cti_rotation_sphere(s, i, rigid, &boxes[i]);
        for (v = s->surface.ranges[i].v0; !rotates_far[i] && v < s->surface.ranges[i].v1; v++)
            cti_rotation_add_vertex(&boxes[i], &s->surface, v);
    }
}

/* 1 if the motion of a rigid body is stepped and rotates it too far */
static int cti_rotation_is_far(const cti_state *s, int rigid, ct_real dt)
{
    int block = s->bodies.rigids[rigid].block;
    return !cti_state_is_inactive(s, block) && cti_policy_turns_far(dt * cti_v3_norm(cti_v3_at(s->end.v, block + 1)));
}

CTI_FN void cti_rotation_fail_linkages(cti_state *s, ct_real dt)
{
    int i, k, rigid;
    for (i = 0; CTI_LINKAGES(s) && i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; k < s->contact.rows[i].n; k++)
            if (cti_linkage_of(s, rigid = s->bodies.rigid_of[s->contact.rows[i].term[k].block]) && cti_rotation_is_far(s, rigid, dt))
                cti_state_fail(s, s->bodies.rigids[rigid].block);
}

CTI_FN int cti_rotation_count(cti_state *s, ct_real dt, int *out)
{
    int i, k, n = CTI_LEN(s->bodies.rigids), free_ = 0;
    uint8_t *turns = CTI_ARENA_ZERO(s->arena, uint8_t, n + 1), *rotates_far = CTI_ARENA_ZERO(s->arena, uint8_t, s->surface.n_bodies + 1);
    cti_box *boxes;
    if (!turns || !rotates_far)
        return 0;
    *out = 0;
    for (i = 0; i < n; i++)
        turns[i] = (uint8_t)cti_rotation_is_far(s, i, dt), free_ += turns[i];
    for (i = 0; free_ && i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; k < s->contact.rows[i].n; k++) {
            int at = s->bodies.rigid_of[s->contact.rows[i].term[k].block];
            if (at >= 0 && turns[at] == 1) {
                turns[at] = 2, ++*out, free_--;
                cti_state_fail(s, s->bodies.rigids[at].block);
            }
        }
    if (free_ == 0)
        return 1;
    boxes = CTI_ARENA_NEW(s->arena, cti_box, s->surface.n_bodies + 1);
    if (!boxes)
        return 0;
    cti_rotation_boxes(s, turns, rotates_far, boxes);
    for (i = 0; i < s->surface.n_bodies; i++) {
        int rigid = cti_rotation_rigid(&s->surface, i);
        if (rigid >= 0 && turns[rigid] == 1 && !cti_rotation_is_alone(s, i, rigid, boxes, rotates_far)) {
            ++*out;
            cti_state_fail(s, s->bodies.rigids[rigid].block);
        }
    }
    return 1;
}

