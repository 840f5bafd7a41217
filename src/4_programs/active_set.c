/* active_set.c -- quadratic programs over y >= 0 by an active set.
   Method: from the minimum in the set S the most violated row p enters along

     r = W_SS^-1 W_Sp,   y_p += t,   y_S -= t r,   u_p += t (W_pp - W_pS r),

   until u_p = 0 (p is in S then) or a y of S reaches 0 (its row leaves, and the step for p continues). The objective falls with every row that
   enters, so that no set occurs twice. If neither happens, y_p = 1, y_S = -r has W y = 0 and q'y < 0: there is no solution. W_SS = L L' is updated:
   extended by a row, or reduced by rotations. Based on: Goldfarb, Idnani 1983, a dual active set method, of which this is the dual's view;
   Lawson, Hanson 1974, ch. 23. */
#include "active_set.h"

CTI_FN int cti_active_open(cti_active *s, cti_arena *arena)
{
    double **const all[] = {&s->y, &s->u, &s->proof, &s->z, &s->l};
    int i, m = s->m;
    s->arena = arena, s->set = CTI_ARENA_NEW(arena, int32_t, m), s->at = CTI_ARENA_NEW(arena, int32_t, m);
    s->banned = CTI_ARENA_ZERO(arena, uint8_t, m), s->cs = CTI_ARENA_ZERO(arena, double, 2 * (size_t)m);
    if (!s->set || !s->at || !s->banned || !s->cs || !CTI_ARENA_VECTORS(arena, m, all))
        return 0;
    for (i = 0; i < m; i++)
        s->at[i] = -1;
    return 1;
}

/* ---- the factor ---- */

static double *cti_active_line(const cti_active *s, int i) { return s->L + (size_t)i * ((size_t)i + 1) / 2; }

/* z = L^-1 z; returns z'z */
static double cti_active_forward(const cti_active *s, double *z)
{
    int i;
    for (i = 0; i < s->count; i++) {
        const double *row = cti_active_line(s, i);
        z[i] = (z[i] - cti_dot_fast(i, row, z)) / row[i];
    }
    return cti_dot_fast(s->count, z, z);
}

/* z = L'^-1 z */
static void cti_active_backward(const cti_active *s, double *z)
{
    int i;
    for (i = s->count - 1; i >= 0; i--) {
        const double *row = cti_active_line(s, i);
        double t = z[i] /= row[i];
        cti_vec_add(i, -t, row, z);
    }
}

/* the row z, L^-1 of its part of W, with this square of a pivot, at the end. 0: out of memory */
static int cti_active_append(cti_active *s, int p, const double *z, double square)
{
    size_t used = (size_t)s->count * ((size_t)s->count + 1) / 2;
    double *row, *wider = s->L;
    if (used + (size_t)s->count >= s->room) {
        s->room = 2 * used + 64;
        if (!(wider = CTI_ARENA_NEW(s->arena, double, s->room)))
            return 0;
        if (used)
            memcpy(wider, s->L, sizeof *wider * used);
        s->L = wider;
    }
    row = cti_active_line(s, s->count);
    cti_vec_copy(s->count, z, row);
    row[s->count] = sqrt(square);
    s->at[p] = s->count, s->set[s->count++] = p, s->changes++;
    return 1;
}

CTI_FN int cti_active_add(cti_active *s, int p)
{
    double own, square;
    if (!s->row(s->ctx, s, p, s->z, &own))
        return -1;
    square = own - cti_active_forward(s, s->z);
    if (!(square > cti_program_tuned.active.nearly * own))
        return 0;
    return cti_active_append(s, p, s->z, square) ? 1 : -1;
}

/* the rows below move up, and rotations of neighbouring columns make them lower triangular again */
CTI_FN void cti_active_drop(cti_active *s, int place)
{
    double *cs = s->cs, *sn = s->cs + s->m;
    int i, k;
    s->at[s->set[place]] = -1, s->y[s->set[place]] = 0;
    for (i = place + 1; i < s->count; i++) {
        double *from = cti_active_line(s, i), *to = cti_active_line(s, i - 1), size;
        for (k = place; k < i - 1; k++) {
            double a = from[k], b = from[k + 1];
            from[k] = cs[k] * a + sn[k] * b, from[k + 1] = cs[k] * b - sn[k] * a;
        }
        size = sqrt(from[i - 1] * from[i - 1] + from[i] * from[i]);
        cs[i - 1] = from[i - 1] / size, sn[i - 1] = from[i] / size, from[i - 1] = size;
        memmove(to, from, sizeof *to * (size_t)i);
        s->set[i - 1] = s->set[i], s->at[s->set[i]] = i - 1;
    }
    s->count--, s->changes++;
}

CTI_FN void cti_active_inverse(cti_active *s, const double *f)
{
    int i;
    for (i = 0; i < s->count; i++)
        s->z[i] = f[s->set[i]];
    cti_active_forward(s, s->z);
    cti_active_backward(s, s->z);
}

/* ---- steps ---- */

static int cti_active_signed(const cti_active *s, int row) { return !s->equation || !s->equation[row]; }

CTI_FN void cti_active_settle(cti_active *s)
{
    for (;;) {
        double t = 1;
        int i, block = -1;
        cti_active_inverse(s, s->q);
        for (i = 0; i < s->count; i++) {
            double now = s->y[s->set[i]], own;
            s->z[i] = -s->z[i];
            if (!(s->z[i] < 0) || !cti_active_signed(s, s->set[i]))
                continue;
            own = now > 0 ? now / (now - s->z[i]) : 0;
            if (block < 0 || own < t || (own == t && s->z[i] < s->z[block]))
                t = own, block = i;
        }
        for (i = 0; i < s->count; i++)
            s->y[s->set[i]] += t * (s->z[i] - s->y[s->set[i]]);
        if (block < 0)
            return;
        cti_active_drop(s, block);
    }
}

CTI_FN int cti_active_worst(const cti_active *s, int any)
{
    double most = 0;
    int i, worst = -1;
    for (i = 0; i < s->m && !(any && worst >= 0); i++) {
        double off = cti_active_signed(s, i) ? -s->u[i] : fabs(s->u[i]);
        if (s->at[i] < 0 && !s->banned[i] && (!s->taken || s->taken[i]) && off > s->eps[i] && off > most)
            most = off, worst = i;
    }
    return worst;
}

/* the place of the first y that reaches 0 along -sign r, or -1; *t: at which step length */
static int cti_active_first(const cti_active *s, const double *r, double sign, double *t)
{
    double most = cti_program_tuned.active.flat * cti_most(s->count, r);
    int i, found = -1;
    *t = INFINITY;
    for (i = 0; i < s->count; i++) {
        double rate = sign * r[i], room;
        if (!cti_active_signed(s, s->set[i]) || rate <= most)
            continue;
        room = cti_fmax(0, s->y[s->set[i]]) / rate;
        if (room < *t)
            *t = room, found = i;
    }
    return found;
}

/* y_p = sign, y_S = -sign r as a proof: as `proves` */
static int cti_active_proves(cti_active *s, int p, const double *r, double sign)
{
    int i;
    cti_vec_zero(s->m, s->proof);
    for (i = 0; i < s->count; i++)
        s->proof[s->set[i]] = -sign * r[i];
    s->proof[p] = sign;
    return s->proves ? s->proves(s->ctx, s->proof) : 1;
}

/* row p enters; others may leave. DONE: it is in, or is left out from now on */
static cti_active_end cti_active_enter(cti_active *s, int p)
{
    double sign = s->u[p] > 0 ? -1 : 1, off = fabs(s->u[p]), own, square, t, full;
    int i, block, got;
    for (;;) {
        if (!s->row(s->ctx, s, p, s->z, &own))
            return CTI_ACTIVE_MEMORY;
        square = own - cti_active_forward(s, s->z);
        cti_vec_copy(s->count, s->z, s->l);
        cti_active_backward(s, s->z);
        block = cti_active_first(s, s->z, sign, &t);
        full = square > cti_program_tuned.active.dependent * own ? off / square : INFINITY;
        if (block < 0 && square <= cti_program_tuned.active.nearly * own) {
            got = cti_active_proves(s, p, s->z, sign);
            if (got)
                return got > 0 ? CTI_ACTIVE_NONE : CTI_ACTIVE_MEMORY;
            if (!(full < INFINITY)) {
                s->banned[p] = 1, s->y[p] = 0;
                return CTI_ACTIVE_DONE;
            }
        }
        t = cti_fmin(t, full);
        for (i = 0; i < s->count; i++)
            s->y[s->set[i]] -= sign * t * s->z[i];
        s->y[p] += sign * t;
        if (t >= full)
            return cti_active_append(s, p, s->l, square) ? CTI_ACTIVE_DONE : CTI_ACTIVE_MEMORY;
        if (block < 0) /* u_p is no number */
            return CTI_ACTIVE_LOST;
        off -= t * cti_fmax(0, square);
        cti_active_drop(s, block);
    }
}

/* all rows that violate their condition enter, but for those that depend on others. 0: out of memory */
static int cti_active_join(cti_active *s)
{
    int i, ok = 1;
    for (i = 0; ok && i < s->m; i++) {
        double off = cti_active_signed(s, i) ? -s->u[i] : fabs(s->u[i]);
        if (s->at[i] < 0 && !s->banned[i] && (!s->taken || s->taken[i]) && off > s->eps[i])
            ok = cti_active_add(s, i) >= 0;
    }
    if (ok)
        cti_active_settle(s);
    return ok;
}

CTI_FN cti_active_end cti_active_run(cti_active *s, int together)
{
    int64_t begun = s->changes, most = 1000 + 20 * (int64_t)s->m;
    cti_active_settle(s);
    for (;; together = 0) {
        int64_t changes = s->changes;
        cti_active_end end;
        int p;
        if (!s->values(s->ctx, s))
            return CTI_ACTIVE_MEMORY;
        p = cti_active_worst(s, changes - begun > most / 2);
        if (p < 0)
            return CTI_ACTIVE_DONE;
        if (changes - begun >= most || (s->e && !cti_effort_goes_on(s->e, s->a->iterations, (int)most, s->a->x, s->a->r)))
            return CTI_ACTIVE_BUDGET;
        end = together ? (cti_active_join(s) ? CTI_ACTIVE_DONE : CTI_ACTIVE_MEMORY) : cti_active_enter(s, p);
        if (s->e)
            s->a->iterations += (int)(s->changes - changes);
        if (end != CTI_ACTIVE_DONE)
            return end;
    }
}
