/* factors.c -- factors of the elastic matrix.
   Method: the graph of A consists of components. Equal components share one symbolic analysis. Each component has an LDL' in float, or in
   double if it is very stiff, or two grids if it is large (twogrid.h). These may be of an earlier step: then they precondition the conjugate
   gradients of the free solve. Patches are grown breadth first. Based on: Otaduy 2009, sec. 4, step 2; differs: the factor is kept over steps. */
#include "factors.h"
#include "policy.h"
#include "../0_base/sets.h"
#include "../4_programs/delassus_bodies.h"

/* appends to list the blocks reached from `seed` in the unvisited graph, at most `limit`, breadth first; mark[i] = id */
static int cti_factors_grow(const cti_bsr *A, int seed, int limit, int32_t id, int32_t *mark, int32_t free_mark, int32_t *list)
{
    int head = 0, tail = 0, k;
    list[tail++] = seed;
    mark[seed] = id;
    while (head < tail) {
        int i = list[head++];
        for (k = A->row[i]; k < A->row[i + 1] && tail < limit; k++) {
            int j = A->col[k];
            if (mark[j] == free_mark)
                mark[j] = id, list[tail++] = j;
        }
    }
    return tail;
}

static void cti_factors_drop_analysis(cti_factors *f, cti_analysis *a)
{
    cti_mem_release(&a->own);
    cti_mem_resize(f->lasting, a, sizeof *a, 0);
}

/* releases a list of components with their caches */
static void cti_factors_drop_components(cti_factors *f, cti_component **list)
{
    int c;
    for (c = 0; c < CTI_LEN(*list); c++)
        if ((*list)[c].lasting) {
            cti_mem_release((*list)[c].lasting);
            cti_mem_resize(f->lasting, (*list)[c].lasting, sizeof(cti_mem), 0);
        }
    CTI_FREE(f->lasting, *list);
}

static int cti_factors_find_components(cti_factors *f, const cti_bsr *A, const uint64_t *bodies)
{
    int i, k, at = 0;
    for (i = 0; i < A->n; i++)
        f->component_of[i] = -1;
    for (i = 0; i < A->n; i++) {
        cti_component c;
        if (f->component_of[i] >= 0)
            continue;
        memset(&c, 0, sizeof c);
        k = CTI_LEN(f->components) - 1;
        c.body = bodies[i], c.number = k >= 0 && f->components[k].body == c.body ? f->components[k].number + 1 : 0;
        c.begin = c.end = at, c.slot0 = A->row[i];
        c.cache.stamp.age = c.place = -1;
        at += cti_factors_grow(A, i, A->n, CTI_LEN(f->components), f->component_of, -1, f->blocks + at);
        if (!CTI_PUSH(f->lasting, f->components, c))
            return 0;
    }
    for (i = 0, f->in_order = 1; i < A->n; i++) {
        cti_component *q = &f->components[f->component_of[i]];
        f->rank[i] = q->end - q->begin;
        f->blocks[q->end++] = i;
    }
    for (i = 0; i < A->n; i++)
        f->in_order &= f->blocks[i] == i;
    return 1;
}

/* patches of all components; mark, list [n of A] scratch. 0: out of memory */
static int cti_factors_find_patches(cti_factors *f, const cti_bsr *A, int32_t *mark, int32_t *list)
{
    int c, i, at = 0;
    for (i = 0; i < A->n; i++)
        mark[i] = -1;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        int n = q->end - q->begin, size = n <= cti_step_tuned.factors.patch ? n : cti_step_tuned.factors.patch;
        q->patch0 = CTI_LEN(f->patches.at);
        for (i = q->begin; i < q->end; i++) {
            if (mark[f->blocks[i]] >= 0)
                continue;
            if (!CTI_PUSH(f->mem, f->patches.at, at))
                return 0;
            at += cti_factors_grow(A, f->blocks[i], size, CTI_LEN(f->patches.at) - 1, mark, -1, list);
        }
        q->patch1 = CTI_LEN(f->patches.at);
    }
    if (!CTI_PUSH(f->mem, f->patches.at, at))
        return 0;
    memcpy(list, f->patches.at, sizeof *list * (size_t)(CTI_LEN(f->patches.at) - 1));
    for (i = 0; i < A->n; i++) /* each patch's blocks in their order */
        f->patches.blocks[list[mark[i]]++] = i;
    return 1;
}

/* the analysis of a component: a shared one if an equal local graph is known. NULL: out of memory */
static cti_analysis *cti_factors_analyze(cti_factors *f, const cti_bsr *A, const cti_component *c)
{
    const int32_t *blocks = f->blocks + c->begin;
    int n = c->end - c->begin, i;
    uint64_t hash = cti_symbolic_hash(A, blocks, n);
    cti_analysis *a;
    for (i = 0; i < CTI_LEN(f->analyses); i++)
        if (f->analyses[i]->hash == hash && cti_symbolic_same(&f->analyses[i]->symbolic, A, blocks, n))
            break;
    if (i == CTI_LEN(f->analyses)) {
        a = (cti_analysis *)cti_mem_zero(f->lasting, sizeof *a);
        if (!a)
            return NULL;
        cti_mem_open(&a->own, f->lasting);
        a->hash = hash;
        if (!CTI_PUSH(f->lasting, f->analyses, a)) {
            cti_mem_resize(f->lasting, a, sizeof *a, 0);
            return NULL;
        }
        if (!cti_symbolic_analyze(&a->own, &a->symbolic, A, blocks, n)) {
            stbds_header(f->analyses)->length--;
            cti_factors_drop_analysis(f, a);
            return NULL;
        }
    }
    return f->analyses[i];
}

/* two grids for a component whose factor would take more time than they do; mark [n of A] scratch. 0: out of memory */
static int cti_factors_divide(cti_arena *arena, cti_factors *f, const cti_bsr *A, cti_component *c, int32_t *mark)
{
    int n = c->end - c->begin, i, at = 0;
    const int32_t *blocks = f->blocks + c->begin;
    cti_twogrid_parts parts;
    int32_t *list, *start;
    double held = 0;
    for (i = 0; i < n; i++)
        held += A->row[blocks[i] + 1] - A->row[blocks[i]], mark[blocks[i]] = -1;
    if (c->cache.grid.n || !cti_policy_factor_is_large(c->analysis->symbolic.flops, held))
        return 1;
    list = CTI_ARENA_NEW(arena, int32_t, n), start = CTI_ARENA_NEW(arena, int32_t, n + 1);
    if (!list || !start)
        return 0;
    parts.blocks = list, parts.at = start, parts.n = 0;
    for (i = 0; i < n; i++) {
        if (mark[blocks[i]] >= 0)
            continue;
        start[parts.n] = at;
        at += cti_factors_grow(A, blocks[i], cti_step_tuned.factors.part, parts.n++, mark, -1, list + at);
    }
    start[parts.n] = at;
    if (cti_twogrid_make(c->lasting, &c->cache.grid, A, blocks, n, f->rank, &parts))
        return 1;
    memset(&c->cache.grid, 0, sizeof c->cache.grid); /* what it has so far is released with the component */
    return 0;
}

/* reserves `doubles` of work for a solve of each worker. 0: out of memory */
static int cti_factors_reserve_work(cti_factors *f, size_t doubles)
{
    size_t room = (doubles + 15) & ~(size_t)15;
    if (room <= f->scratch.work_room)
        return 1;
    if (!CTI_RESERVE(f->mem, f->scratch.work, (int64_t)(room * (size_t)cti_tasks_workers(f->tasks))))
        return 0;
    f->scratch.work_room = room;
    return 1;
}

CTI_FN int cti_factors_room(cti_factors *f, const cti_factor32 *factor) { return cti_factors_reserve_work(f, (cti_factor32_work(factor) + 1) / 2); }

CTI_FN int cti_factors_reserve(cti_factors *f, cti_component *q, int exact, int grid)
{
    cti_factor_cache *k = &q->cache;
    if (exact)
        return cti_factor64_reserve(q->lasting, &k->exact, &q->analysis->symbolic) && cti_factors_reserve_work(f, cti_factor64_work(&k->exact));
    if (grid)
        return cti_twogrid_inverse_reserve(q->lasting, &k->plain, &k->grid) && cti_factors_reserve_work(f, cti_twogrid_work(&k->grid, &k->plain));
    return cti_factor32_reserve(q->lasting, &k->single, &q->analysis->symbolic) && cti_factors_room(f, &k->single);
}

/* what component c takes over from the same one before bodies were added or removed, which is sought from place *at of `past` on: its rows of A are
   the same, in other places. 0: it is a new one */
static int cti_factors_inherit(cti_factors *f, cti_component *c, int *at)
{
    int i, k, n = CTI_LEN(f->past);
    for (i = 0; i < n; i++) {
        cti_component *old = &f->past[(*at + i) % n];
        if (old->body != c->body || old->number != c->number || !old->lasting)
            continue;
        *at = (*at + i) % n + 1;
        c->analysis = old->analysis, c->gather = old->gather, c->cache = old->cache, c->lasting = old->lasting;
        old->lasting = NULL;
        for (k = 0; k < CTI_LEN(c->gather.slot); k++)
            c->gather.slot[k] += c->slot0 - old->slot0;
        c->cache.plain.grid = c->cache.held.grid = &c->cache.grid;
        c->cache.is_due = c->cache.stamp.penalized_known = 0;
        return 1;
    }
    return 0;
}

/* a new component's analysis and an empty cache. 0: out of memory */
static int cti_factors_begin_cache(cti_factors *f, const cti_bsr *A, cti_component *c)
{
    cti_mem *m = (cti_mem *)cti_mem_zero(f->lasting, sizeof *m);
    if (!m)
        return 0;
    cti_mem_open(m, f->lasting);
    c->analysis = cti_factors_analyze(f, A, c);
    if (c->analysis && cti_gather_make(m, &c->gather, &c->analysis->symbolic, A, f->blocks + c->begin) &&
        CTI_RESIZE(m, c->cache.compliance.port_at, c->end - c->begin)) {
        c->lasting = m;
        return 1;
    }
    cti_mem_release(m);
    cti_mem_resize(f->lasting, m, sizeof *m, 0);
    return 0;
}

/* releases what no component uses any more */
static void cti_factors_forget(cti_factors *f)
{
    int i, k;
    cti_factors_drop_components(f, &f->past);
    for (i = k = 0; i < CTI_LEN(f->analyses); i++)
        if (f->analyses[i]->is_used)
            f->analyses[k++] = f->analyses[i];
        else
            cti_factors_drop_analysis(f, f->analyses[i]);
    if (f->analyses)
        stbds_header(f->analyses)->length = (size_t)k;
}

CTI_FN int cti_factors_init(cti_factors *f, cti_arena *arena, const cti_bsr *A, const uint64_t *bodies)
{
    int c, n = A->n, most = 1, at = 0;
    int32_t *mark, *list;
    f->arena = arena;
    f->A = A;
    if (!CTI_RESIZE(f->mem, f->blocks, n) || !CTI_RESIZE(f->mem, f->component_of, n) || !CTI_RESIZE(f->mem, f->rank, n) ||
        !CTI_RESIZE(f->mem, f->patches.blocks, n))
        return 0;
    if (!cti_factors_find_components(f, A, bodies))
        return 0;
    mark = CTI_ARENA_NEW(arena, int32_t, n), list = CTI_ARENA_NEW(arena, int32_t, n);
    if (!mark || !list || !cti_factors_find_patches(f, A, mark, list))
        return 0;
    for (c = 0; c < CTI_LEN(f->analyses); c++)
        f->analyses[c]->is_used = 0;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        most = cti_max_int(most, q->end - q->begin);
        if ((!cti_factors_inherit(f, q, &at) && !cti_factors_begin_cache(f, A, q)) || !cti_factors_divide(arena, f, A, q, mark))
            return 0;
        q->analysis->is_used = 1;
        q->owner = f;
    }
    cti_factors_forget(f);
    f->scratch.x_room = (4 * (size_t)most + 15) & ~(size_t)15;
    if (!CTI_RESIZE(f->mem, f->scratch.x, f->scratch.x_room * (size_t)cti_tasks_workers(f->tasks)))
        return 0;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        if (q->cache.stamp.age >= 0 && !cti_factors_reserve(f, q, q->cache.is_exact, q->cache.is_grid)) /* scratch of its solves */
            return 0;
    }
    return 1;
}

CTI_FN void cti_factors_retire(cti_factors *f)
{
    cti_factors kept;
    memset(&kept, 0, sizeof kept);
    kept.tasks = f->tasks, kept.mem = f->mem, kept.lasting = f->lasting, kept.analyses = f->analyses;
    kept.past = f->past;
    if (kept.past)
        cti_factors_drop_components(f, &f->components);
    else
        kept.past = f->components;
    *f = kept;
}

CTI_FN void cti_factors_of_other(cti_factors *f, uint64_t body)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++)
        f->components[c].cache.stamp.age = f->components[c].body == body ? -1 : f->components[c].cache.stamp.age;
    for (c = 0; c < CTI_LEN(f->past); c++)
        f->past[c].cache.stamp.age = f->past[c].body == body ? -1 : f->past[c].cache.stamp.age;
}

CTI_FN void cti_factors_estrange(cti_factors *f, uint64_t body)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++)
        f->components[c].body = f->components[c].body == body ? UINT64_MAX : f->components[c].body;
    for (c = 0; c < CTI_LEN(f->past); c++)
        f->past[c].body = f->past[c].body == body ? UINT64_MAX : f->past[c].body;
}

CTI_FN void cti_factors_rename(cti_factors *f, const uint64_t *ids, const uint64_t *to, int n)
{
    int c;
    for (c = 0; c < CTI_LEN(f->past); c++) {
        uint64_t *body = &f->past[c].body;
        uint32_t slot = (uint32_t)*body;
        *body = slot < (uint32_t)n && ids[slot] == *body ? to[slot] : UINT64_MAX;
    }
}

CTI_FN void cti_factors_age(cti_factors *f)
{
    int c;
    f->matrix++;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        if (q->substep.part)
            continue;
        q->solve.solver_failed = 0;
        q->solve.whole_attempts -= q->solve.whole_attempts > 0;
        q->cache.stamp.age += q->cache.stamp.age >= 0;
    }
}

CTI_FN void cti_factors_begin(cti_state *s, ct_real dt)
{
    cti_factors *f = &s->factors;
    int c, k;
    cti_factors_age(f);
    f->rest = s->desc.thickness, f->mass = s->bodies.mass, f->frame = &s->frame;
    f->x = s->desc.stepper == CT_STEPPER_CMR && s->desc.solver.cluster != CT_CLUSTER_BODY && !cti_state_is_paper(s) ? s->x : NULL;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        ct_real speed = 0;
        if (q->substep.part)
            continue;
        for (k = q->begin; k < q->end; k++)
            speed = cti_max(speed, cti_v3_norm2(cti_v3_at(s->v, f->blocks[k])));
        cti_factors_drift(q, dt * cti_sqrt(speed));
        q->solve.was_free = !q->solve.in_contact;
    }
}

CTI_FN void cti_factors_ask(cti_component *q) { q->cache.stamp.renewal_asked = 1; }

CTI_FN void cti_factors_drift(cti_component *q, ct_real way) { q->cache.stamp.drift += way; }

CTI_FN void cti_factors_relinearize(cti_component *q)
{
    q->cache.stamp.age = 1;
    cti_factors_ask(q);
}

CTI_FN void cti_factors_costs(const cti_component *q, double *flops, double *nonzeros)
{
    const cti_symbolic *sym = &q->analysis->symbolic;
    const cti_twogrid *g = &q->cache.grid;
    *flops = sym->flops, *nonzeros = sym->nonzeros;
    if (q->cache.is_grid)
        cti_policy_grid_costs((double)g->row[g->n], g->symbolic.flops, g->symbolic.nonzeros, flops, nonzeros);
}

CTI_FN double cti_factors_price(const cti_component *q, double factors, double solves)
{
    double flops, nonzeros;
    cti_factors_costs(q, &flops, &nonzeros);
    return cti_step_tuned.frame.flop * (factors * flops + solves * cti_step_tuned.factors.solve * nonzeros);
}

CTI_FN int cti_factors_is_cheap(const cti_component *q)
{
    double flops, nonzeros;
    cti_factors_costs(q, &flops, &nonzeros);
    return cti_policy_factor_is_cheap(flops, nonzeros);
}

CTI_FN void cti_factors_charge(cti_factor_stamp *t, int iterations)
{
    if (t->age == 0) {
        t->base_iterations = iterations;
        t->excess_iterations = 0;
    } else
        t->excess_iterations += cti_max_int(0, iterations - t->base_iterations);
}

/* largest stiffness of a block relative to its mass */
static ct_real cti_factors_stiffness(const cti_factors *f, const cti_component *q, const ct_real *mass)
{
    ct_real big = 0;
    int i;
    for (i = q->begin; i < q->end; i++) {
        int b = f->blocks[i];
        const ct_real *D = f->A->val + 9 * (size_t)f->A->diag[b];
        if (mass[b] > 0)
            big = cti_max(big, (D[0] + D[4] + D[8]) / (3 * mass[b]) - 1);
    }
    return big;
}

/* 1 if a factor is computed again for a step of dt */
static int cti_factors_is_due(const cti_factors *f, const cti_component *q, ct_real dt)
{
    int moves_in_contact = !q->solve.was_free && q->cache.stamp.drift > f->rest;
    double flops, nonzeros;
    cti_factors_costs(q, &flops, &nonzeros);
    return (q->cache.is_grid && !f->x) || cti_policy_factor_is_due(&q->cache.stamp, flops, nonzeros, dt, moves_in_contact);
}

CTI_FN int cti_factors_prepare(cti_factors *f, cti_component *q, ct_real dt)
{
    cti_factor_cache *k = &q->cache;
    int exact, grid;
    k->is_due = cti_factors_is_due(f, q, dt);
    if (!k->is_due)
        return 1;
    f->n_refactored++;
    cti_frame_must(f->frame, cti_factors_price(q, 1, 0));
    exact = f->mass && cti_policy_factor_is_exact(cti_factors_stiffness(f, q, f->mass));
    grid = !exact && f->x && k->grid.n;
    if (!cti_factors_reserve(f, q, exact, grid))
        return 0;
    if (exact != k->is_exact || grid != k->is_grid) /* a step that is undone cannot return to the factors of the other kind */
        k->stamp.version++, k->stamp.penalized_version++, k->stamp.penalized_known = 0;
    k->is_exact = exact, k->is_grid = grid;
    return 1;
}

CTI_FN void cti_factors_refill(cti_component *q, const cti_bsr *A, ct_real dt)
{
    cti_factor_cache *k = &q->cache;
    if (!k->is_due)
        return;
    if (k->is_grid) {
        cti_twogrid_fill(&k->grid, A, q->owner->blocks + q->begin, q->owner->x);
        cti_twogrid_inverse_fill(&k->plain, &k->grid, A, q->owner->blocks + q->begin);
    } else if (k->is_exact)
        cti_factor64_refill(&k->exact, &q->gather, A->val);
    else
        cti_factor32_refill(&k->single, &q->gather, A->val);
    k->is_due = 0;
    k->stamp.renewal_asked = 0;
    k->stamp.age = 0;
    k->stamp.drift = 0;
    k->stamp.dt = dt;
    k->stamp.version++;
}

CTI_FN void cti_factors_share_grid(cti_component *q, const cti_bsr *A)
{
    if (q->cache.stamp.age == 0)
        return;
    cti_twogrid_fill(&q->cache.grid, A, q->owner->blocks + q->begin, q->owner->x);
    q->cache.stamp.version++;
    q->cache.stamp.age = -1;
}

CTI_FN int cti_factors_renew(cti_factors *f, cti_component *q, const cti_bsr *A, ct_real dt)
{
    if (!cti_factors_prepare(f, q, dt))
        return 0;
    cti_factors_refill(q, A, dt);
    return 1;
}

CTI_FN int cti_factors_exact(cti_factors *f, cti_arena *arena, const cti_bsr *A, cti_island *island)
{
    cti_body_factor *list = CTI_ARENA_NEW(arena, cti_body_factor, island->n_components);
    int c, n = CTI_LEN(f->exacts);
    if (!list || !CTI_RESIZE(f->mem, f->exacts, CTI_LEN(f->components)))
        return 0;
    if (n < CTI_LEN(f->exacts))
        memset(f->exacts + n, 0, sizeof *f->exacts * (size_t)(CTI_LEN(f->exacts) - n));
    for (c = 0; c < island->n_components; c++) {
        const cti_component *q = &f->components[island->components[c]];
        cti_exact *e = &f->exacts[island->components[c]];
        if (e->matrix != f->matrix) {
            e->matrix = 0;
            if (!cti_factor64_compute(f->mem, &e->factor, &q->analysis->symbolic, &q->gather, A->val))
                return 0;
            e->matrix = f->matrix;
        }
        list[c].first = q->place, list[c].n = q->end - q->begin, list[c].factor = &e->factor;
    }
    island->p.bodies = list, island->p.n_bodies = island->n_components;
    return 1;
}

CTI_FN int cti_factors_mark(cti_factors *f, const cti_island *island)
{
    int c, marked = 0;
    for (c = 0; c < island->n_components; c++) {
        cti_component *q = &f->components[island->components[c]];
        if (q->cache.stamp.age > 0) {
            cti_factors_ask(q);
            marked++;
        }
    }
    return marked;
}

CTI_FN int cti_factors_lag(const cti_factors *f, const cti_island *island)
{
    int c;
    for (c = 0; c < island->n_components; c++)
        if (f->components[island->components[c]].cache.stamp.age > 0)
            return 1;
    return 0;
}

CTI_FN int cti_factors_islands(cti_factors *f, cti_arena *arena, const cti_row *rows, int n_rows, int32_t *island, int *out_n)
{
    int nc = CTI_LEN(f->components), i, k, n = 0;
    int32_t *parent = CTI_ARENA_NEW(arena, int32_t, nc), *number = CTI_ARENA_NEW(arena, int32_t, nc);
    if (!parent || !number)
        return 0;
    cti_sets_init(parent, nc);
    for (i = 0; i < nc; i++)
        number[i] = -1;
    for (i = 0; i < n_rows; i++)
        for (k = 1; k < rows[i].n; k++)
            cti_sets_join(parent, f->component_of[rows[i].term[k].block], f->component_of[rows[i].term[0].block]);
    for (i = 0; i < n_rows; i++) {
        int32_t root = cti_sets_root(parent, f->component_of[rows[i].term[0].block]);
        if (number[root] < 0)
            number[root] = n++;
        island[i] = number[root];
    }
    *out_n = n;
    return 1;
}
