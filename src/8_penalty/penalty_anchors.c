/* penalty_anchors.c -- springs of pairs that are gone go on to the pairs that stand for them now.
   Method: an anchor is a material point of one body, seen from the other. Where features slide from one triangle or edge of a mesh to the next, the
   pair changes, but the point remains. So each pair of the last substep that has no row in this one gives its springs to one row whose pair is new,
   the nearest between the same bodies, within the thickness plus the path of the old pair in the last substep: farther rows are other contacts, and
   springs for them would move force across a body. At edges that cross at a small angle their crossing moves farther than the edges do.
   A tangential force k_f s, projected onto the plane of the row, becomes the slip k_f s / k_f' of its spring, and a depth likewise; forces that go to
   one row add up. Where its springs would store more than was given, slip and depth are scaled back. So a change of pairs gains no energy, and what
   is not passed on is a loss of contacts (penalty.c). A k-d tree, built where a pair has ended, finds rows in about n log n comparisons for n pairs.
   based on: lecture notes 4.4.1 (anchors on a surface); Bentley, Multidimensional binary search trees used for associative searching, 1975. */
#include "penalty.h"
#include "../0_base/sort.h"

enum { CTI_PENALTY_LEVELS = 64 }; /* stack of ranges: a tree of 2^31 rows has 31 levels, and each leaves one range */

/* cti_penalty_received -- sums the springs that a row gets. */
typedef struct cti_penalty_received {
    cti_v3 slip;                    /* [m] of the row's spring, world axes, side a against b */
    ct_real depth, friction_bound;           /* [m], [N s] */
    ct_real dt;                     /* [s] longest substep that the springs come from */
    double slip_energy, depth_energy; /* [J] that the row may store */
    int n_springs;                          /* springs that came */
} cti_penalty_received;

/* cti_penalty_tree -- is a k-d tree of rows that may get springs: the middle of a range of `order` divides it along the axis of its level. */
typedef struct cti_penalty_tree {
    cti_v3 *middle;      /* [rows] middle of the contact's points at the start */
    int32_t *order;  /* [n] rows */
    int n;
    int is_built;
} cti_penalty_tree;

/* cti_penalty_range -- has entries lo .. hi - 1 of a tree, divided along `axis`. */
typedef struct cti_penalty_range {
    int lo, hi, axis;
    ct_real distance2; /* [m^2] square of the least distance of its rows; a search sets it */
} cti_penalty_range;

CTI_FN void cti_penalty_release_records(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    int i;
    for (i = 0; i < CTI_LEN(p->records); i++)
        p->records[i].taken = 0;
}

/* returns the record of an item; NULL: it has none, since a step has been undone */
static cti_penalty_record *cti_penalty_record_of(const cti_state *s, int item)
{
    cti_penalty *p = cti_penalty_of(s);
    return item < CTI_LEN(p->records) && p->records[item].key == s->contact.memory.items[item].key ? &p->records[item] : NULL;
}

CTI_FN const cti_memory_item *cti_penalty_take_item(cti_state *s, uint64_t key)
{
    const cti_memory_item *m = cti_memory_find(&s->contact.memory, key);
    cti_penalty_record *record = m ? cti_penalty_record_of(s, (int)(m - s->contact.memory.items)) : NULL;
    if (record && record->taken)
        return NULL;
    if (record)
        record->taken = 1;
    return m;
}

/* returns the middle of a contact's points */
static cti_v3 cti_penalty_middle(const ct_real *x, const cti_pair *pair)
{
    if (pair->kind == CT_PAIR_PLANE)
        return cti_v3_at(x, pair->v[0]);
    return cti_v3_mul(cti_v3_add(cti_pair_point(x, pair, 0), cti_pair_point(x, pair, 1)), CTI_R(0.5));
}

/* returns how far the crossing of two edges moves along them in a substep [m]; 0: they do not cross. Edges at an angle a move it by up to 1 / sin a
   of what they slide; at most by the length of an edge, since what follows on an edge is not known */
static ct_real cti_penalty_crossing_way(const ct_real *x, const cti_pair *pair)
{
    cti_v3 a, b, between, moved;
    ct_real most, det;
    if (pair->kind != CT_PAIR_EE || !(pair->w[0] > 0 && pair->w[1] > 0 && pair->w[2] < 0 && pair->w[3] < 0))
        return 0;
    a = cti_v3_sub(cti_v3_at(x, pair->v[1]), cti_v3_at(x, pair->v[0])), b = cti_v3_sub(cti_v3_at(x, pair->v[3]), cti_v3_at(x, pair->v[2]));
    between = cti_v3_sub(cti_pair_point(x, pair, 0), cti_pair_point(x, pair, 1));
    det = cti_v3_norm2(cti_v3_cross(a, b)), most = cti_sqrt(cti_max(cti_v3_norm2(a), cti_v3_norm2(b)));
    moved = cti_v3_mul(a, cti_v3_dot(a, b) * cti_v3_dot(b, between) - cti_v3_norm2(b) * cti_v3_dot(a, between));
    moved = cti_v3_mad(moved, b, cti_v3_norm2(a) * cti_v3_dot(b, between) - cti_v3_dot(a, b) * cti_v3_dot(a, between));
    moved = cti_v3_mul(moved, CTI_R(0.5));
    return cti_v3_norm(moved) < most * det ? cti_v3_norm(moved) / det : most;
}

/* returns the rotation of a face or an edge (n vertices) in a substep [rad]; that of an edge about itself is not known, and 0 */
static cti_v3 cti_penalty_rotation(const cti_surface *f, const int32_t *v, int n)
{
    cti_v3 e0 = cti_v3_sub(cti_v3_at(f->x0, v[1]), cti_v3_at(f->x0, v[0])), e1 = cti_v3_sub(cti_v3_at(f->x1, v[1]), cti_v3_at(f->x1, v[0]));
    cti_v3 e = cti_v3_mul(cti_v3_add(e0, e1), CTI_R(0.5)), de = cti_v3_sub(e1, e0), w, g, dg, across;
    ct_real size2 = cti_v3_norm2(e);
    if (!(size2 > 0))
        return cti_v3_zero();
    w = cti_v3_mul(cti_v3_cross(e, de), 1 / size2);
    if (n < 3)
        return w;
    e0 = cti_v3_sub(cti_v3_at(f->x0, v[2]), cti_v3_at(f->x0, v[0])), e1 = cti_v3_sub(cti_v3_at(f->x1, v[2]), cti_v3_at(f->x1, v[0]));
    g = cti_v3_mul(cti_v3_add(e0, e1), CTI_R(0.5)), dg = cti_v3_sub(cti_v3_sub(e1, e0), cti_v3_cross(w, g));
    across = cti_v3_cross(e, g); /* the rest turns about the first edge: it moves the third vertex along the normal */
    return cti_v3_norm2(across) > 0 ? cti_v3_mad(w, e, cti_v3_dot(dg, across) / cti_v3_norm2(across)) : w;
}

/* sets the rotation of side 0 or 1 of a pair in a substep [rad]; of a vertex of a deformable body that of a face of it. 0: a point has none */
static int cti_penalty_side_rotation(const cti_state *s, ct_real h, const cti_pair *pair, int side, cti_v3 *out)
{
    const cti_surface *f = &s->surface;
    const int32_t *v = pair->v + (side ? pair->n_a : 0);
    int n = side ? pair->n - pair->n_a : pair->n_a, face;
    *out = cti_v3_zero();
    if (side && pair->kind == CT_PAIR_PLANE)
        return 1;
    if (cti_surface_attach(f, v[0])->frame >= 0)
        *out = cti_v3_mul(cti_v3_at(s->end.v, cti_surface_attach(f, v[0])->block[1]), h);
    else if (n > 1)
        *out = cti_penalty_rotation(f, v, n);
    else {
        face = f->vertex_owner[v[0]];
        if (face < 0)
            return 0;
        *out = cti_penalty_rotation(f, f->faces + 3 * (size_t)face, 3);
    }
    return 1;
}

CTI_FN cti_v3 cti_penalty_rotate_slip(const cti_state *s, ct_real h, const cti_pair *pair, cti_v3 slip)
{
    cti_v3 a, b, w;
    int sides = cti_penalty_side_rotation(s, h, pair, 0, &a) + cti_penalty_side_rotation(s, h, pair, 1, &b);
    ct_real turn2, size = cti_v3_norm(slip);
    if (!sides || !(size > 0))
        return slip;
    w = cti_v3_mul(cti_v3_add(a, b), CTI_R(1.0) / (ct_real)sides);
    turn2 = cti_v3_norm2(w);
    /* Cayley's rotation: of the length of the slip, and by w but for |w|^3 / 12 */
    return cti_v3_mad(slip, cti_v3_cross(w, cti_v3_mad(slip, cti_v3_cross(w, slip), CTI_R(0.5))), 1 / (1 + turn2 / 4));
}

CTI_FN int cti_penalty_remember(cti_state *s, int row, const cti_memory_item *item, ct_real slid)
{
    cti_penalty *p = cti_penalty_of(s);
    const cti_pair *pair = &s->contact.origins[row].pair;
    int a = cti_pair_body_a(&s->surface, pair), b = cti_pair_body_b(&s->surface, pair);
    cti_penalty_record record;
    memset(&record, 0, sizeof record);
    record.key = item->key, record.k = p->contacts[row].k, record.kf = p->contacts[row].kf;
    record.body[0] = s->surface.bodies[a].id, record.body[1] = s->surface.bodies[b].id;
    record.reach = cti_max(slid, cti_penalty_crossing_way(s->surface.x1, pair)) + cti_surface_pair_thickness(&s->surface, a, b);
    cti_v3_put(record.middle, 0, cti_penalty_middle(s->surface.x1, pair));
    return CTI_PUSH(s->mem, p->next_records, record) && cti_memory_add(s->mem, &p->next, item);
}

/* ---- the nearest row ---- */

static ct_real cti_penalty_along(cti_v3 x, int axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

/* halves a range; returns its middle */
static int cti_penalty_halves(cti_penalty_range r, cti_penalty_range *half)
{
    int mid = r.lo + (r.hi - r.lo) / 2;
    half[0].lo = r.lo, half[0].hi = mid, half[1].lo = mid + 1, half[1].hi = r.hi;
    half[0].axis = half[1].axis = (r.axis + 1) % 3;
    return mid;
}

/* builds the tree of the rows from `first` on whose pair is new. 0: out of memory */
static int cti_penalty_build_tree(cti_state *s, int first, cti_penalty_tree *tree)
{
    const cti_penalty *p = cti_penalty_of(s);
    int i, top = 0, n = CTI_LEN(s->contact.rows);
    cti_penalty_range todo[CTI_PENALTY_LEVELS];
    int32_t *order_tmp = CTI_ARENA_NEW(s->arena, int32_t, n);
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)n);
    tree->middle = CTI_ARENA_NEW(s->arena, cti_v3, n), tree->order = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!order_tmp || !keys || !tree->middle || !tree->order)
        return 0;
    for (i = first; i < n; i++)
        if (!p->contacts[i].is_known)
            tree->middle[i] = cti_penalty_middle(s->surface.x0, &s->contact.origins[i].pair), tree->order[tree->n++] = i;
    tree->is_built = 1;
    todo[top].lo = 0, todo[top].hi = tree->n, todo[top++].axis = 0;
    while (top > 0) {
        cti_penalty_range r = todo[--top];
        if (r.hi - r.lo < 2)
            continue;
        for (i = r.lo; i < r.hi; i++)
            keys[i] = cti_sort_key((double)cti_penalty_along(tree->middle[tree->order[i]], r.axis));
        cti_sort_u64(keys + r.lo, tree->order + r.lo, keys + n, order_tmp, r.hi - r.lo);
        cti_penalty_halves(r, &todo[top]);
        top += 2;
    }
    return 1;
}

/* returns 1 where a row is between the bodies of a record */
static int cti_penalty_is_of(const cti_state *s, int row, const cti_penalty_record *record)
{
    const cti_pair *pair = &s->contact.origins[row].pair;
    uint64_t a = s->surface.bodies[cti_pair_body_a(&s->surface, pair)].id, b = s->surface.bodies[cti_pair_body_b(&s->surface, pair)].id;
    return (a == record->body[0] && b == record->body[1]) || (b == record->body[0] && a == record->body[1]);
}

/* returns the row that gets the springs of a record: the nearest of the same bodies in its reach, of equal ones the first; -1: none */
static int cti_penalty_nearest(const cti_state *s, const cti_penalty_record *record, const cti_penalty_tree *tree)
{
    ct_real best = record->reach * record->reach;
    cti_penalty_range todo[CTI_PENALTY_LEVELS];
    cti_v3 at = cti_v3_at(record->middle, 0);
    int top = 0, found = -1;
    todo[top].distance2 = 0, todo[top].lo = 0, todo[top].hi = tree->n, todo[top++].axis = 0;
    while (top > 0) {
        cti_penalty_range r = todo[--top], half[2];
        ct_real past, d;
        int row, side;
        if (r.lo >= r.hi || r.distance2 > best)
            continue;
        row = tree->order[cti_penalty_halves(r, half)];
        past = cti_penalty_along(at, r.axis) - cti_penalty_along(tree->middle[row], r.axis);
        d = cti_v3_norm2(cti_v3_sub(tree->middle[row], at));
        if (d <= best && (d < best || found < 0 || row < found) && cti_penalty_is_of(s, row, record))
            best = d, found = row;
        side = past > 0;
        half[side].distance2 = r.distance2, half[!side].distance2 = cti_max(r.distance2, past * past);
        if (half[!side].distance2 <= best)
            todo[top++] = half[!side];
        todo[top++] = half[side];
    }
    return found;
}

/* ---- springs that it gets ---- */

/* adds the springs of an item to those of a row */
static void cti_penalty_add_springs(const cti_state *s, ct_real h, const cti_memory_item *m, const cti_penalty_record *record, int row,
                             cti_penalty_received *received)
{
    const cti_penalty_contact *q = &cti_penalty_of(s)->contacts[row];
    int same = s->surface.bodies[cti_pair_body_a(&s->surface, &s->contact.origins[row].pair)].id == record->body[0];
    ct_real depth = cti_max(0, m->impulse[0]), sign = same ? CTI_R(1.0) : CTI_R(-1.0);
    cti_v3 slip = cti_v3_at(m->slip, 0);
    if (record->body[0] == record->body[1]) /* sides of a body's contact with itself are told by the normal */
        sign = cti_v3_dot(cti_v3_at(m->normal, 0), cti_v3_at(s->contact.rows[row].frame, 0)) < 0 ? CTI_R(-1.0) : CTI_R(1.0);
    received->slip = cti_v3_mad(received->slip, slip, q->kf > 0 ? sign * record->kf / q->kf : 0);
    received->slip_energy += 0.5 * (double)(record->kf * cti_v3_norm2(slip));
    received->depth += q->k > 0 ? depth * record->k / q->k : 0;
    received->depth_energy += 0.5 * (double)(record->k * depth * depth);
    received->friction_bound += s->contact.rows[row].mu * m->impulse[2] * h;
    received->dt = cti_max(received->dt, m->dt);
    received->n_springs++;
}

/* returns the share of a stretch that a spring keeps, so that it stores at most `energy` */
static ct_real cti_penalty_share(ct_real k, ct_real stretch2, double energy)
{
    double stored = 0.5 * (double)(k * stretch2);
    return stored > energy ? (ct_real)sqrt(energy / stored) : 1;
}

/* sets the springs of a row to those that it has received */
static void cti_penalty_receive(cti_state *s, ct_real h, int i, const cti_penalty_received *received)
{
    cti_penalty_contact *q = &cti_penalty_of(s)->contacts[i];
    cti_v3 slip = cti_m3_mul_v(s->contact.rows[i].frame, received->slip);
    ct_real depth = received->depth * cti_penalty_share(q->k, received->depth * received->depth, received->depth_energy);
    ct_real share = cti_penalty_share(q->kf, slip.y * slip.y + slip.z * slip.z, received->slip_energy);
    q->friction_bound = received->friction_bound;
    if (s->desc.penalty.form == CT_PENALTY_EXPLICIT)
        q->half_longer = (received->dt - h) / 2;
    if (s->desc.penalty.friction == CT_PENALTY_ANCHOR)
        q->slip[0] = share * slip.y, q->slip[1] = share * slip.z;
    q->rest_distance += q->missing_depth, q->depth += q->missing_depth;
    q->missing_depth = cti_max(0, q->depth - depth);
    q->rest_distance -= q->missing_depth, q->depth -= q->missing_depth;
}

CTI_FN int cti_penalty_transfer(cti_state *s, ct_real h, int first)
{
    int i, row, n = CTI_LEN(s->contact.rows);
    cti_penalty_tree tree;
    cti_penalty_received *received = CTI_ARENA_ZERO(s->arena, cti_penalty_received, n + 1);
    if (!received)
        return 0;
    memset(&tree, 0, sizeof tree);
    for (i = 0; first < n && i < CTI_LEN(s->contact.memory.items); i++) {
        cti_penalty_record *record = cti_penalty_record_of(s, i);
        if (!record || record->taken)
            continue;
        if (!tree.is_built && !cti_penalty_build_tree(s, first, &tree))
            return 0;
        row = cti_penalty_nearest(s, record, &tree);
        if (row < 0)
            continue;
        record->taken = 1;
        cti_penalty_add_springs(s, h, &s->contact.memory.items[i], record, row, &received[row]);
    }
    for (i = first; i < n; i++)
        if (received[i].n_springs)
            cti_penalty_receive(s, h, i, &received[i]);
    return 1;
}
