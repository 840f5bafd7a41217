/* cmr_rows.c -- rows of near pairs and of collisions.
   Method: a hit adds a row, with the normal at its time of impact (Otaduy 2009, sec. 4, steps 3 and 4.4). differs: if the motion violates a row that
   the pair already has, that row is solved again instead of adding another; flat edges wait for a round without other collisions. */
#include "cmr_rows.h"
#include "../8_step/policy.h"
#include "../8_step/spins.h"
#include "../0_base/heads.h"
#include "../0_base/keys.h"
#include "../0_base/sets.h"
#include "../7_contact/flat_patches.h"
#include "../7_contact/seams.h"

CTI_FN int cti_cmr_join_pair(const cti_state *s, int32_t *sets, const cti_pair *pair)
{
    int k, first = -1;
    for (k = 0; k < pair->n; k++) {
        int c = cti_state_component(s, pair->v[k]);
        if (c >= 0 && first >= 0)
            cti_sets_join(sets, c, first);
        first = c >= 0 ? c : first;
    }
    return first;
}

/* cti_cmr_islands -- sets of components that rows and collisions join (0_base/sets.h); the other arrays are indexed by a set's root. */
typedef struct cti_cmr_islands {
    int32_t *sets, *refined; /* refined: rounds in which its collisions got rows */
    uint8_t *hits;           /* 1: it has collisions, 3: not of flat edges alone */
    uint8_t *misses;         /* 1: its motion misses by a thickness or more what was linearized again */
    uint8_t *fails;          /* 1: its motion in this substep is rejected already, and a shorter one follows */
} cti_cmr_islands;

/* root of the set of a row */
static int cti_cmr_of_row(const cti_state *s, const cti_cmr_islands *q, int i)
{
    return cti_sets_root(q->sets, s->factors.component_of[s->contact.rows[i].term[0].block]);
}

/* 1 if an island without collisions may be solved again after a round */
static int cti_cmr_goes_on(const cti_cmr_islands *q, int root, int round)
{
    return !q->fails[root] && cti_policy_solves_again(round - q->refined[root]);
}

/* finds the islands of contact.rows and contact.hits. 0: out of memory */
static int cti_cmr_find_islands(const cti_state *s, cti_cmr_islands *out)
{
    const cti_contacts *found = &s->contact;
    int i, k, n = CTI_LEN(s->factors.components);
    out->sets = CTI_ARENA_NEW(s->arena, int32_t, n), out->refined = CTI_ARENA_ZERO(s->arena, int32_t, n);
    out->hits = CTI_ARENA_ZERO(s->arena, uint8_t, 3 * n), out->misses = out->hits + n, out->fails = out->misses + n;
    if (!out->sets || !out->refined || !out->hits)
        return 0;
    cti_sets_init(out->sets, n);
    for (i = 0; i < CTI_LEN(found->rows); i++)
        for (k = 1; k < found->rows[i].n; k++)
            cti_sets_join(out->sets, s->factors.component_of[found->rows[i].term[k].block], cti_cmr_of_row(s, out, i));
    for (i = 0; i < CTI_LEN(found->hits); i++)
        cti_cmr_join_pair(s, out->sets, &found->hits[i].pair);
    for (i = 0; i < CTI_LEN(found->hits); i++)
        out->hits[cti_sets_root(out->sets, cti_cmr_join_pair(s, out->sets, &found->hits[i].pair))] |= found->hits[i].flat ? 1 : 3;
    for (i = 0; i < CTI_LEN(found->rows); i++) {
        const cti_contact_row *o = &found->origins[i];
        out->misses[cti_cmr_of_row(s, out, i)] |= o->joint ? o->is_unsolved && cti_policy_joint_misses(o->joint_error) : o->is_changed == 2;
    }
    for (i = 0; i < n; i++) {
        int root = cti_sets_root(out->sets, i);
        out->refined[root] = cti_max_int(out->refined[root], s->factors.components[i].solve.refined);
        out->fails[root] |= s->step.may_halve && s->factors.components[i].substep.failed;
    }
    return 1;
}

/* a table [*size] of the rows of contacts by key (keys.h), with room for `more`; NULL: out of memory */
static int32_t *cti_cmr_table(const cti_state *s, int more, int *size)
{
    const cti_row *rows = s->contact.rows;
    int i, n = CTI_LEN(rows);
    int32_t *table = CTI_ARENA_ZERO(s->arena, int32_t, *size = cti_keys_size(n + more));
    for (i = 0; table && i < n; i++)
        if (!rows[i].equations && !s->contact.origins[i].joint && !s->contact.origins[i].tether && !s->contact.origins[i].repair)
            *cti_keys_at(table, *size, &rows->key, sizeof *rows, rows[i].key) = i + 1;
    return table;
}

/* The rows of a pair have the keys key, key + 1, key + 2. Returns how many of these follow each other in the table; *last: the newest one, or -1.
   Where an earlier one has turned to another pair, later ones are not seen */
static int cti_cmr_rows_of(const cti_state *s, int32_t *table, int size, uint64_t key, int *last)
{
    const cti_row *rows = s->contact.rows;
    int n = 0, at;
    *last = -1;
    while (n < 3 && (at = *cti_keys_at(table, size, &rows->key, sizeof *rows, key + (uint64_t)n)) > 0)
        *last = at - 1, n++;
    return n;
}

/* 1 if the motion violates this row: the pair needs more sweeps, not another row. A plane's row is exact, so it never needs another */
static int cti_cmr_is_violated(const cti_state *s, int row, ct_real dt)
{
    ct_real u[3];
    if (s->contact.origins[row].pair.kind == CT_PAIR_PLANE)
        return 1;
    cti_row_velocity(&s->contact.rows[row], s->end.v, u);
    return u[0] + s->contact.rows[row].compliance[0] * s->contact.rows[row].r[0] < -cti_policy_row_tolerance(s->contact.origins[row].thickness, dt);
}

/* the normal law of a row at a motion [m/s]: 0 where a loaded contact fulfils it, below 0 where features approach too far */
static ct_real cti_cmr_normal_law(const cti_row *row, const ct_real *v)
{
    ct_real u[3], law;
    cti_row_velocity(row, v, u);
    law = u[0] + row->compliance[0] * row->r[0];
    return row->recover > 0 ? cti_min(law, u[0] + row->softness * row->r[0] - row->recover) : law;
}

CTI_FN void cti_cmr_linearize_rows(cti_state *s, const cti_row_context *c)
{
    int i;
    for (i = 0; CTI_LEN(s->bodies.rigids) && i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        cti_contact_row *o = &s->contact.origins[i];
        ct_real most = cti_policy_row_tolerance(o->thickness, c->dt), change;
        if (!o->is_nonlinear || (change = cti_rows_linearize(c, &s->contact.rows[i], o)) <= most || cti_state_is_paper(s))
            continue;
        /* a free contact that opens more slowly than before needs no other solve */
        o->is_changed = row->r[0] > 0 || cti_cmr_normal_law(row, s->end.v) < -most;
        o->is_unsolved |= o->is_changed;
        o->is_changed *= 1 + (change * c->dt > o->thickness);
    }
}

CTI_FN ct_real cti_cmr_row_error(const cti_state *s, int i)
{
    const cti_row *row = &s->contact.rows[i];
    ct_real law;
    if (!s->contact.origins[i].is_changed || cti_state_is_inactive(s, row->term[0].block))
        return 0;
    law = cti_cmr_normal_law(row, s->end.v);
    return row->r[0] > 0 ? cti_abs(law) : cti_max(0, -law);
}

/* cti_cmr_turn -- a row whose distance at the end of the motion is not the one that its half-space says. */
typedef struct cti_cmr_turn {
    int row;
    cti_pair own, other; /* its pair, with weights there; one that is nearer there */
    ct_real away, alike; /* [m] of own there; cosine between the directions of `other` and of the row, < -1: none is nearer */
    int stays;           /* 1: own has the closest points inside of its features */
} cti_cmr_turn;

/* 1 for such a row. In a valley a row holds its vertex above the plane of a face that is not the nearest (cti_pair_valley) */
static int cti_cmr_turns(const cti_state *s, int i, cti_cmr_turn *t)
{
    const cti_surface *f = &s->surface;
    const cti_row *row = &s->contact.rows[i];
    const cti_contact_row *o = &s->contact.origins[i];
    ct_real linear;
    int k, feature, faces = o->pair.kind == CT_PAIR_VF;
    if (row->equations || o->joint || o->tether || o->repair || !(row->r[0] > 0) || !(faces || o->pair.kind == CT_PAIR_EE) ||
        !cti_patches_is_hard(f, &o->pair) || row->key != cti_pair_key(f, &o->pair))
        return 0;
    for (k = 0; k < o->pair.n; k++)
        if (cti_abs(o->pair.w[k]) > 1)
            return 0;
    t->row = i, t->own = o->pair, t->alike = -2;
    t->away = cti_pair_closest(f, f->x1, &t->own, &feature), t->stays = feature == (faces ? 6 : 0);
    linear = o->gap0 + o->thickness + cti_v3_dot(cti_v3_at(row->frame, 0), cti_pair_way(f, &o->pair));
    return cti_abs(t->away - linear) > cti_seams_slight(o->thickness, f->x1 + 3 * (size_t)o->pair.v[0]);
}

/* takes candidate i, at place k of the row's pair, where it is nearer at the end, and its direction nearest to the row's */
static void cti_cmr_offer(const cti_state *s, int i, int k, cti_cmr_turn *t)
{
    const cti_surface *f = &s->surface;
    const cti_candidates *l = &s->detect.vf;
    ct_real alike, slight = cti_seams_slight(s->contact.origins[t->row].thickness, f->x1 + 3 * (size_t)t->own.v[0]);
    cti_v3 n = cti_v3_at(s->contact.rows[t->row].frame, 0);
    cti_pair q;
    int feature;
    cti_pair_make(f, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &q);
    if (!cti_events_is_stepped(s, &q) ||
        cti_pair_closest(f, f->x1, &q, &feature) >= cti_min(t->away - slight, CTI_DETECT_REACH * cti_pair_thickness(f, &q)))
        return;
    alike = (k < t->own.n_a ? 1 : -1) * cti_v3_dot(n, cti_pair_normal(f, f->x1, &q, cti_v3_zero()));
    if (alike > t->alike && cti_patches_is_hard(f, &q))
        t->other = q, t->alike = alike;
}

/* the nearer candidates of all vertices at which own's points are. 0: out of memory */
static int cti_cmr_find_nearer(const cti_state *s, cti_cmr_turn *t, int n)
{
    const cti_candidates *l = &s->detect.vf;
    cti_heads heads;
    int32_t *next = CTI_ARENA_ZERO(s->arena, int32_t, 4 * n), e;
    int i, k;
    if (!next || !cti_heads_init(&heads, s->arena, 4 * n, s->surface.nv))
        return 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < t[i].own.n && !t[i].stays; k++)
            if (t[i].own.w[k] != 0) {
                cti_head *head = cti_heads_at(&heads, t[i].own.v[k]);
                next[4 * i + k] = head->first;
                head->number = t[i].own.v[k] + 1, head->first = 4 * i + k + 1;
            }
    for (i = 0; i < cti_candidates_len(l); i++)
        for (e = cti_heads_at(&heads, l->quads[4 * (size_t)i])->first; e > 0; e = next[e - 1])
            cti_cmr_offer(s, i, (e - 1) % 4, &t[(e - 1) / 4]);
    return 1;
}

/* gives a row to another pair with all that is the pair's, as if it had been near at the start; the multipliers stay, as vectors in space.
   Returns 0 if the pair has no unknowns */
static int cti_cmr_take_pair(const cti_row_context *c, cti_pair pair, cti_row *row, cti_contact_row *origin)
{
    const cti_surface *s = c->surface;
    ct_real side = cti_pair_body_a(s, &pair) == cti_pair_body_a(s, &origin->pair) ? 1 : -1;
    cti_v3 n = cti_v3_mul(cti_v3_at(row->frame, 0), side), force = cti_m3_mul_tv(row->frame, cti_v3_make(0, side * row->r[1], side * row->r[2]));
    cti_row next;
    cti_contact_row from;
    int feature;
    cti_pair_closest(s, s->x0, &pair, &feature);
    if (!cti_rows_build(c, &pair, cti_pair_normal(s, s->x0, &pair, n), row->key, 0, 0, &next, &from))
        return 0;
    force = cti_m3_mul_v(next.frame, force);
    next.r[0] = row->r[0], next.r[1] = force.y, next.r[2] = force.z;
    from.spin = origin->spin;
    *row = next, *origin = from;
    return 1;
}

/* turns rows of islands without collisions. 0: out of memory */
static int cti_cmr_turn_rows(cti_state *s, const cti_row_context *c, const cti_cmr_islands *islands, int round)
{
    cti_row *rows = s->contact.rows;
    int i, size, last, n = 0, most = CTI_LEN(s->bodies.rigids) && !c->at_start && !cti_state_is_paper(s) ? CTI_LEN(rows) : 0;
    cti_cmr_turn *t = CTI_ARENA_NEW(s->arena, cti_cmr_turn, most);
    int32_t *table;
    if (!t)
        return 0;
    for (i = 0; i < most; i++)
        n += cti_cmr_turns(s, i, &t[n]);
    if (n == 0)
        return 1;
    if (!(table = cti_cmr_table(s, n, &size)) || !cti_cmr_find_nearer(s, t, n))
        return 0;
    for (i = 0; i < n; i++) {
        int other = t[i].alike > -2;
        cti_row *row = &rows[t[i].row];
        int q = cti_cmr_of_row(s, islands, t[i].row);
        if ((!t[i].stays && !other) || islands->hits[q] || islands->misses[q] || !cti_cmr_goes_on(islands, q, round))
            continue;
        other = other && !cti_cmr_rows_of(s, table, size, cti_pair_key(&s->surface, &t[i].other), &last);
        if (other && !cti_cmr_take_pair(c, t[i].other, row, &s->contact.origins[t[i].row]))
            continue;
        cti_rows_turn(c, row, &s->contact.origins[t[i].row]);
        if (other)
            *cti_keys_at(table, size, &rows->key, sizeof *rows, row->key) = t[i].row + 1;
        s->contact.origins[t[i].row].is_unsolved = s->contact.origins[t[i].row].is_changed = 1;
    }
    return 1;
}

/* cti_cmr_build_task -- rows that are added after the existing ones. */
typedef struct cti_cmr_build_task {
    const cti_row_context *c;
    const cti_hit *hits;
    int32_t *existing; /* [n hits] number of rows that the pair has; -1: it gets no other one */
    cti_row *rows;
    cti_contact_row *origins;
} cti_cmr_build_task;

static void cti_cmr_build_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_build_task *q = (const cti_cmr_build_task *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        const cti_hit *hit = &q->hits[begin];
        if (q->existing[begin] >= 0 && !cti_rows_build(q->c, &hit->pair, hit->normal, hit->before, cti_min_int(q->existing[begin], 2), hit->keep,
                                                    &q->rows[begin], &q->origins[begin]))
            q->existing[begin] = -1;
    }
}

/* counts the rows that the pair of each hit has. If the motion violates the newest of them, that is solved again, and the pair gets no other */
static void cti_cmr_count_rows(cti_state *s, int32_t *table, int size, ct_real dt, int32_t *existing)
{
    int i, last;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        existing[i] = cti_cmr_rows_of(s, table, size, cti_pair_key(&s->surface, &s->contact.hits[i].pair), &last);
        if (existing[i] > 0 && cti_cmr_is_violated(s, last, dt)) {
            s->contact.origins[last].is_unsolved = 1;
            existing[i] = -1;
        }
    }
}

/* stores a row and its origin at the end, or at index `place` >= 0 of a row whose multipliers it takes over. There is room */
static void cti_cmr_put_row(cti_state *s, const cti_row *row, const cti_contact_row *origin, int place)
{
    cti_contacts *found = &s->contact;
    int at = place >= 0 ? place : CTI_LEN(found->rows);
    ct_real r[3];
    int spin = place >= 0 ? found->origins[place].spin : 0;
    memcpy(r, place >= 0 ? found->rows[place].r : row->r, sizeof r);
    if (row != &found->rows[at])
        found->rows[at] = *row, found->origins[at] = *origin;
    memcpy(found->rows[at].r, r, sizeof r);
    found->origins[at].is_unsolved = 1, found->origins[at].spin = spin;
    if (place < 0)
        stbds_header(found->rows)->length++, stbds_header(found->origins)->length++;
}

/* a pair that occurs twice (a face given twice) gets one row */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c)
{
    cti_contacts *found = &s->contact;
    cti_cmr_build_task q;
    int i, size, last, n = CTI_LEN(found->hits), n0 = CTI_LEN(found->rows);
    int32_t *table;
    if (n == 0)
        return 1;
    q.c = c, q.hits = found->hits, q.existing = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!q.existing || !CTI_RESERVE(s->mem, found->rows, n0 + n) || !CTI_RESERVE(s->mem, found->origins, n0 + n) ||
        !(table = cti_cmr_table(s, n, &size)))
        return 0;
    q.rows = found->rows + n0, q.origins = found->origins + n0;
    cti_cmr_count_rows(s, table, size, c->dt, q.existing);
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_build_range, n, cti_step_tuned.costs.row, &q);
    for (i = 0; i < n; i++) {
        if (q.existing[i] != cti_cmr_rows_of(s, table, size, cti_pair_key(&s->surface, &found->hits[i].pair), &last))
            continue;
        cti_cmr_put_row(s, &q.rows[i], &q.origins[i], q.existing[i] < 3 ? -1 : last);
        if (q.existing[i] < 3)
            *cti_keys_at(table, size, &found->rows->key, sizeof *found->rows, found->rows[CTI_LEN(found->rows) - 1].key) = CTI_LEN(found->rows);
    }
    return cti_spins_add(s, c, n0);
}

/* Chooses the collisions that get rows in this round; the others stay only where none do. Flat edges wait for a round without other collisions
   in their island, since the rows of their vertices usually clear them. *chosen: their number. 0: out of memory */
static int cti_cmr_choose(cti_state *s, const cti_cmr_islands *islands, int round, int *chosen)
{
    int i, n = CTI_LEN(s->contact.hits);
    uint8_t *keep = CTI_ARENA_NEW(s->arena, uint8_t, n);
    if (!keep)
        return 0;
    for (*chosen = i = 0; i < n; i++) {
        const cti_hit *hit = &s->contact.hits[i];
        int one = cti_cmr_join_pair(s, islands->sets, &hit->pair), q = cti_sets_root(islands->sets, one), refined = islands->refined[q];
        keep[i] = refined < s->desc.cmr_rounds && !islands->fails[q] && !(hit->flat && islands->hits[q] > 1) &&
                  !(islands->misses[q] && cti_cmr_goes_on(islands, q, round));
        if (keep[i])
            s->factors.components[one].solve.refined = refined + 1, s->factors.components[one].solve.outpaced = 0, ++*chosen;
    }
    if (*chosen)
        cti_hits_take(s->contact.hits, keep);
    return 1;
}

CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, int round, int *unsolved)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    cti_cmr_islands islands;
    int i, chosen;
    if (!cti_cmr_find_islands(s, &islands) || !cti_cmr_turn_rows(s, c, &islands, round))
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        s->contact.origins[i].is_unsolved &= cti_cmr_goes_on(&islands, cti_cmr_of_row(s, &islands, i), round);
    if (!cti_cmr_choose(s, &islands, round, &chosen))
        return 0;
    if (chosen && !cti_state_is_paper(s) && !cti_seams_pass(s->arena, NULL, c, s->contact.hits, NULL))
        return 0;
    if (chosen && !cti_cmr_add_rows(s, c))
        return 0;
    for (*unsolved = i = 0; i < CTI_LEN(s->contact.rows); i++)
        *unsolved += s->contact.origins[i].is_unsolved;
    cti_arena_rewind(s->arena, mark);
    return 1;
}
