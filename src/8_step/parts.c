/* parts.c -- parts of the world that keep their end while others are cut into substeps.
   Method: components that rows or joints connect are solved together and apart from all others. So what is wrong with the end of some, collisions
   that the rounds have not ended, a turn, a joint or an energy that the linearization cannot answer for, says nothing about the others. What is
   faulty is left out of the attempt with all that is connected to it. The rest is judged, committed, and carried: it has the state of its end, and
   its surface moves there on the straight lines on which it was found clear of itself. What was left out goes back to the start and is stepped
   through the same time in shorter steps, or alone into the fail-safe where they cannot be shorter. A near pair or a collision between what is
   stepped and what is carried was in neither's end: the step begins again, and the two are in one part from then on. Splits nest: a part that is
   cut may split again. What failed takes short substeps for a while, and is left out of longer ones before they are solved. Based on: Otaduy 2009, sec. 4 (the step is halved); differs: of what fails alone. */
#include "parts.h"
#include "start.h"
#include "../0_base/sets.h"

#define CTI_PARTS_CALM 2          /* good substeps in a row after which the next one may be twice as long */
#define CTI_PARTS_SHARE CTI_R(0.999) /* lengths that are nearer to each other differ by rounding */
#define CTI_PARTS_END CTI_R(1e-5) /* share of a line below which what is left of it is rounding: lengths of substeps are sums */

CTI_FN void cti_parts_free(cti_mem *mem, cti_parts *p)
{
    int i;
    CTI_FREE(mem, p->together), CTI_FREE(mem, p->x0), CTI_FREE(mem, p->x1), CTI_FREE(mem, p->x_was), CTI_FREE(mem, p->zoned);
    cti_copy_free(mem, &p->before), cti_copy_free(mem, &p->ends);
    for (i = 0; i < CTI_PARTS_DEPTH; i++)
        cti_memory_free(mem, &p->kept[i]);
}

CTI_FN void cti_parts_rewind(cti_state *s)
{
    int c;
    s->parts.may = s->parts.some = s->parts.met = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->part = q->faulty = q->calm = 0;
        q->wish = 0;
    }
}

CTI_FN void cti_parts_reset(cti_state *s)
{
    cti_parts_rewind(s);
    s->parts.known = 0;
}

CTI_FN void cti_parts_begin(cti_state *s)
{
    int c;
    s->parts.some = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->faulty = 0;
        q->part = q->part == CTI_PART_OUT ? 0 : q->part;
        s->parts.some |= q->part > 0;
    }
}

/* component behind a surface vertex; -1: none */
static int cti_parts_of(const cti_state *s, int vertex)
{
    const cti_attach *a = &s->surface.attach[vertex];
    return a->n > 0 ? s->factors.component_of[a->block[0]] : -1;
}

CTI_FN void cti_parts_blame_pair(cti_state *s, const cti_pair *pair)
{
    int k;
    for (k = 0; k < pair->n; k++)
        if (cti_parts_of(s, pair->v[k]) >= 0)
            s->factors.components[cti_parts_of(s, pair->v[k])].faulty = 1;
}

CTI_FN void cti_parts_blame_gains(cti_state *s)
{
    int c, body;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        body = cti_energy_body(s, s->factors.blocks[s->factors.components[c].begin]);
        s->factors.components[c].faulty |= body >= 0 && s->gains[body];
    }
}

/* ---- what is connected ---- */

static void cti_parts_join_blocks(const cti_state *s, int32_t *sets, int a, int b)
{
    cti_sets_join(sets, s->factors.component_of[a], s->factors.component_of[b]);
}

/* some block of a joint's side; -1: it has none. All of them are in one set */
static int cti_parts_side(const cti_state *s, int32_t *sets, const cti_joint_side *side)
{
    int i;
    if (side->rigid >= 0)
        return s->rigids[side->rigid].block;
    for (i = 1; i < side->n; i++)
        cti_parts_join_blocks(s, sets, side->block[i], side->block[0]);
    return side->n ? side->block[0] : -1;
}

/* sets [components]: pieces of a body, what rows and joints connect, and what has met in this step */
static void cti_parts_connect(cti_state *s, int32_t *sets)
{
    int i, k, n = CTI_LEN(s->factors.components);
    cti_sets_init(sets, n);
    for (i = 0; s->parts.known && i < n; i++)
        cti_sets_join(sets, i, s->parts.together[i]);
    for (i = 0; i < n; i++) {
        int block = s->factors.blocks[s->factors.components[i].begin], m = s->history.model_of[block];
        cti_parts_join_blocks(s, sets, block, m >= 0 ? s->history.block[m] : block);
        if (s->rigid_of[block] >= 0)
            cti_parts_join_blocks(s, sets, block, s->rigids[s->rigid_of[block]].block);
    }
    for (i = 0; i < CTI_LEN(s->rows); i++)
        for (k = 1; k < s->rows[i].n; k++)
            cti_parts_join_blocks(s, sets, s->rows[i].term[k].block, s->rows[i].term[0].block);
    for (i = 0; i < CTI_LEN(s->joints); i++) {
        int a = cti_parts_side(s, sets, &s->joints[i].a), b = cti_parts_side(s, sets, &s->joints[i].b);
        if (a >= 0 && b >= 0)
            cti_parts_join_blocks(s, sets, a, b);
    }
}

/* 1 where something in the component may move otherwise than a script says */
static int cti_parts_moves(const cti_state *s, const cti_component *q)
{
    int i, moves = 0;
    for (i = q->begin; i < q->end; i++)
        moves |= !s->fixed[s->factors.blocks[i]];
    return moves;
}

/* ---- leaving an attempt ---- */

/* a component that was left out stands still */
static void cti_parts_stop(cti_state *s, cti_component *q)
{
    int i, body = cti_energy_body(s, s->factors.blocks[q->begin]);
    for (i = q->begin; i < q->end; i++) {
        int b = s->factors.blocks[i];
        cti_v3_put(s->v_new, b, cti_v3_zero());
        cti_v3_put(s->x_new, b, cti_v3_at(s->x, b)), cti_v3_put(s->q, b, cti_v3_at(s->x, b));
    }
    q->moved = 0;
    if (body >= 0)
        cti_energy_rest(s, body);
}

/* rows of what is stepped stay, in their order */
static void cti_parts_strike(cti_state *s)
{
    int i, n = 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        if (!cti_state_is_aside(s, s->rows[i].term[0].block)) {
            if (n < i)
                s->rows[n] = s->rows[i], s->origins[n] = s->origins[i];
            n++;
        }
    if (s->rows)
        stbds_header(s->rows)->length = (size_t)n;
    if (s->origins)
        stbds_header(s->origins)->length = (size_t)n;
}

/* worst residual of what is stepped */
static ct_real cti_parts_residual(cti_state *s, ct_real scale)
{
    ct_real big = cti_islands_dynamics(s, scale);
    int i;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        big = cti_max(big, s->factors.components[s->factors.component_of[s->rows[i].term[0].block]].natural);
    return big;
}

CTI_FN void cti_parts_return(cti_state *s, cti_attempt *out)
{
    int faulty = out->left;
    cti_parts_begin(s);
    out->left = 0;
    out->redo |= faulty > 0;
}

CTI_FN int cti_parts_leave(cti_state *s, ct_real dt, cti_attempt *out)
{
    cti_component *q = s->factors.components;
    int c, n = CTI_LEN(q), any = 0, rest = 0;
    int32_t *sets;
    uint8_t *bad;
    for (c = 0; c < n; c++)
        any |= !q[c].part && q[c].faulty;
    if (!s->parts.may || !any)
        return 1;
    sets = CTI_ARENA_NEW(s->arena, int32_t, n), bad = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    if (!sets || !bad)
        return 0;
    cti_parts_connect(s, sets);
    for (c = 0; c < n; c++)
        bad[cti_sets_root(sets, c)] |= q[c].faulty != 0;
    for (c = 0; c < n; c++)
        rest |= !q[c].part && !bad[cti_sets_root(sets, c)] && cti_parts_moves(s, &q[c]);
    if (!rest) {
        cti_parts_return(s, out);
        return 1;
    }
    s->parts.some = 1;
    for (c = 0; c < n; c++)
        if (!q[c].part && bad[cti_sets_root(sets, c)]) {
            q[c].part = CTI_PART_OUT, out->left++;
            cti_parts_stop(s, &q[c]);
        }
    cti_parts_strike(s);
    cti_parts_filter(s);
    cti_parts_place(s, dt);
    out->clear = 1, out->gained = out->strained = out->spun = out->crushed = 0;
    out->residual = cti_parts_residual(s, cti_cmr_scale(s, dt));
    return 1;
}

/* ---- lengths ---- */

/* 1 where a component is to take shorter substeps than dt */
static int cti_parts_hurries(const cti_component *q, ct_real dt) { return q->wish > 0 && q->wish < CTI_PARTS_SHARE * dt; }

CTI_FN int cti_parts_hurry(cti_state *s, ct_real dt, cti_attempt *out)
{
    int c, any = 0;
    for (c = 0; s->parts.may && c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        q->faulty |= !q->part && cti_parts_hurries(q, dt);
        any |= q->faulty;
    }
    if (!cti_parts_leave(s, dt, out))
        return 0;
    out->hurry = any && !out->left;
    return 1;
}

CTI_FN int cti_parts_wish(const cti_state *s, ct_real dt, int may)
{
    int c, some = 0, all = 1;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        if (q->part)
            continue;
        some |= cti_parts_hurries(q, dt), all &= cti_parts_hurries(q, dt);
    }
    return some && (all || !may);
}

CTI_FN void cti_parts_shorten(cti_state *s, ct_real dt, int all)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->part == (all ? 0 : CTI_PART_OUT) && !cti_parts_hurries(q, dt))
            q->wish = dt / 2, q->calm = 0;
    }
}

CTI_FN void cti_parts_calm(cti_state *s, ct_real dt)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (!q->part && q->wish > 0 && dt >= CTI_PARTS_SHARE * q->wish && ++q->calm == CTI_PARTS_CALM)
            q->calm = 0, q->wish *= 2; /* what made it short may be over */
    }
}

/* ---- what is carried ---- */

CTI_FN void cti_parts_place(cti_state *s, ct_real dt)
{
    const cti_parts *p = &s->parts;
    int i, c;
    for (i = 0; p->some && i < s->surface.nv; i++) {
        const cti_component *q;
        ct_real share;
        c = cti_parts_of(s, i);
        q = c >= 0 ? &s->factors.components[c] : NULL;
        if (!q || !q->part)
            continue;
        if (q->part == CTI_PART_OUT) {
            cti_v3_put(s->surface.x1, i, cti_v3_at(s->surface.x0, i));
            continue;
        }
        share = (q->gone + dt) / q->span;
        cti_v3_put(s->surface.x1, i, share > 1 - CTI_PARTS_END ? cti_v3_at(p->x1, i)
                                       : cti_v3_mad(cti_v3_at(p->x0, i), cti_v3_sub(cti_v3_at(p->x1, i), cti_v3_at(p->x0, i)), share));
    }
}

/* a pair of two parts: one in the next try of the step */
static void cti_parts_meet(cti_state *s, const cti_pair *pair)
{
    int k, c, first = -1;
    s->parts.met = 1;
    for (k = 0; k < pair->n; k++) {
        c = cti_parts_of(s, pair->v[k]);
        if (c >= 0 && first >= 0)
            cti_sets_join(s->parts.together, c, first);
        first = c >= 0 ? c : first;
    }
}

CTI_FN void cti_parts_filter(cti_state *s)
{
    int i, k, n = 0;
    if (!s->parts.some)
        return;
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        const cti_pair *pair = &s->hits[i].pair;
        int out = 0, carried = 0, stepped = 0;
        for (k = 0; k < pair->n; k++) {
            int c = cti_parts_of(s, pair->v[k]), part = c >= 0 ? s->factors.components[c].part : 0;
            out |= part == CTI_PART_OUT, carried |= part > CTI_PART_OUT, stepped |= c >= 0 && !part;
        }
        if (carried && stepped && !out)
            cti_parts_meet(s, pair);
        if (stepped && !carried && !out)
            s->hits[n++] = s->hits[i];
    }
    if (s->hits)
        stbds_header(s->hits)->length = (size_t)n;
}

CTI_FN int cti_parts_keep(cti_state *s)
{
    cti_parts *p = &s->parts;
    int n3 = 3 * s->surface.nv, n = CTI_LEN(s->factors.components);
    if (!CTI_RESIZE(s->mem, p->together, n) || !CTI_RESIZE(s->mem, p->x0, n3) || !CTI_RESIZE(s->mem, p->x1, n3) ||
        !CTI_RESIZE(s->mem, p->x_was, n3) || !cti_copy_save(s, &p->before))
        return 0;
    if (!p->known)
        cti_sets_init(p->together, n);
    p->known = 1;
    if (n3)
        memcpy(p->x_was, s->surface.x0, sizeof(ct_real) * (size_t)n3);
    return 1;
}

CTI_FN int cti_parts_carry(cti_state *s, ct_real span, int depth)
{
    cti_parts *p = &s->parts;
    int c, i;
    for (i = 0; i < s->surface.nv; i++) {
        c = cti_parts_of(s, i);
        if (c >= 0 && !s->factors.components[c].part)
            cti_v3_put(p->x0, i, cti_v3_at(p->x_was, i)), cti_v3_put(p->x1, i, cti_v3_at(s->surface.x0, i));
    }
    if (s->surface.nv)
        memcpy(s->surface.x0, p->x_was, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->part)
            cti_copy_restore(s, q, &p->before);
        if (!q->part)
            q->part = CTI_PART_CARRIED(depth), q->gone = 0, q->span = span;
        else if (q->part == CTI_PART_OUT)
            q->part = 0;
    }
    return cti_copy_save(s, &p->ends);
}

CTI_FN void cti_parts_advance(cti_state *s, ct_real dt)
{
    int c;
    for (c = 0; s->parts.some && c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        if (q->part > CTI_PART_OUT) {
            cti_copy_restore(s, q, &s->parts.ends);
            q->gone += dt;
        }
    }
}

CTI_FN void cti_parts_join(cti_state *s, int depth)
{
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (s->factors.components[c].part == CTI_PART_CARRIED(depth))
            s->factors.components[c].part = 0;
    cti_parts_begin(s);
}

#undef CTI_PARTS_CALM
#undef CTI_PARTS_SHARE
#undef CTI_PARTS_END
