/* prepare.c -- from bodies to the arrays of a step: surface, matrix pattern, scatter slots, factors. It runs once per change of topology
   and does not touch positions or velocities. */
#include "world.h"
#include "../8_step/factors.h"
#include "../8_step/impulses.h"
#include "../8_step/integrate.h"
#include "../8_step/linkage.h"

CTI_FN void cti_world_unprepare(ct_world *w)
{
    cti_state *s = &w->state;
    if (w->searched)
        w->clean = s->detect.n_tangled == 0;
    w->searched = 0;
    cti_surface_free(&w->mem, &s->surface);
    cti_detect_free(&w->mem, &s->detect);
    if (cti_steppers_of(w)->unprepare)
        cti_steppers_of(w)->unprepare(s);
    else
        s->own = NULL;
    cti_factors_retire(&s->factors);
    cti_mem_release(&s->prepared);
    memset(&s->linkages, 0, sizeof s->linkages);
    s->system.A.n = 0;
    w->surface_slot = NULL;
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    CTI_CLEAR(s->contact.tangled_pairs);
    CTI_CLEAR(s->contact.repairs);
    CTI_CLEAR(s->scripts.movers);
    CTI_CLEAR(s->history.impulses.touches); /* touches refer to features by index into the surface, and so does the pair that limited the step */
    s->step.limit.n = 0;
    s->bodies.n_models = 0;
    s->contact.is_solved = 0;
    w->ready = w->prepared = 0;
}

CTI_FN int cti_world_list_models(ct_world *w)
{
    cti_state *s = &w->state;
    int i, ok = 1;
    CTI_CLEAR(s->bodies.models);
    for (i = 0; ok && i < CTI_LEN(w->bodies); i++)
        if (cti_body_has_model(&w->bodies[i]) && !w->bodies[i].asleep)
            ok = CTI_PUSH(&w->mem, s->bodies.models, &w->bodies[i].model);
    s->bodies.n_models = CTI_LEN(s->bodies.models);
    return ok;
}

/* counts of bodies, and of their surfaces' vertices, moving vertices, edges, faces and planes */
typedef struct cti_prepare_sizes {
    int bodies, nv, moving, ne, nf, np;
} cti_prepare_sizes;

static int cti_prepare_moves(const cti_body *b) { return (!cti_body_is_scripted(b) && !b->asleep) || b->kind == CTI_BODY_KINEMATIC; }

static cti_prepare_sizes cti_prepare_count(const ct_world *w)
{
    cti_prepare_sizes n;
    int i;
    memset(&n, 0, sizeof n);
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        n.bodies++;
        if (b->kind == CTI_BODY_PLANE) {
            n.np++;
            continue;
        }
        n.nv += CTI_LEN(b->surface_nodes);
        n.moving += cti_prepare_moves(b) ? CTI_LEN(b->surface_nodes) : 0;
        n.ne += b->topology.n_edges;
        n.nf += CTI_LEN(b->triangles) / 3;
    }
    return n;
}

static int cti_prepare_reserve(cti_mem *mem, cti_surface *f, const cti_prepare_sizes *n)
{
    int nv = n->nv, ne = n->ne, nf = n->nf;
    return CTI_RESIZE(mem, f->attach, n->moving + 1) && CTI_RESIZE(mem, f->body_of, nv) && CTI_RESIZE(mem, f->edges, 2 * ne) &&
           CTI_RESIZE(mem, f->faces, 3 * nf) && CTI_RESIZE(mem, f->face_edges, 3 * nf) && CTI_RESIZE(mem, f->edge_faces, 2 * ne) &&
           CTI_RESIZE(mem, f->vertex_owner, nv) && CTI_RESIZE(mem, f->edge_owner, ne) && CTI_RESIZE(mem, f->is_point, nv) &&
           CTI_RESIZE(mem, f->rest, 3 * nv) && CTI_RESIZE(mem, f->x0, 3 * nv) && CTI_RESIZE(mem, f->x1, 3 * nv) &&
           CTI_RESIZE(mem, f->script, 3 * n->moving) && CTI_RESIZE(mem, f->bodies, n->bodies) && CTI_RESIZE(mem, f->ranges, n->bodies) &&
           CTI_RESIZE(mem, f->planes, n->np) && CTI_RESIZE(mem, f->meets, (size_t)n->np * (size_t)n->bodies);
}

/* appends one body's surface at the counts of f */
static void cti_prepare_body(const ct_world *w, cti_surface *f, int index, const cti_body *b)
{
    const cti_topology *t = &b->topology;
    int nv = CTI_LEN(b->surface_nodes), nf = CTI_LEN(b->triangles) / 3, i;
    cti_soup_body *r = &f->ranges[index];
    r->v0 = f->nv, r->v1 = f->nv + nv, r->e0 = f->ne, r->e1 = f->ne + t->n_edges, r->f0 = f->nf, r->f1 = f->nf + nf;
    r->dynamic = !cti_body_is_scripted(b) && !b->asleep;
    r->is_new = b->unsearched;
    r->self = cti_body_meets_itself(w, b) && !b->asleep;
    r->order = b->order;
    for (i = 0; i < nv; i++) {
        int node = b->surface_nodes[i];
        f->body_of[f->nv + i] = index;
        if (f->bodies[index].moves) {
            cti_body_attach(b, node, &f->attach[f->n_moving]);
            cti_v3_put(f->script, f->n_moving++, cti_v3_at(b->rest, node));
        }
        cti_v3_put(f->rest, f->nv + i, cti_v3_at(b->rest, node));
        cti_v3_put(f->x0, f->nv + i, b->asleep ? cti_body_point(w, b, node) : cti_v3_at(b->rest, node));
        f->is_point[f->nv + i] = t->vertex_is_point[i];
        f->vertex_owner[f->nv + i] = t->vertex_owner[i] < 0 ? -1 : f->nf + t->vertex_owner[i];
    }
    for (i = 0; i < 3 * nf; i++) {
        f->faces[3 * f->nf + i] = f->nv + b->node_surface[b->triangles[i]];
        f->face_edges[3 * f->nf + i] = t->face_edges[i] < 0 ? -1 : f->ne + t->face_edges[i];
    }
    for (i = 0; i < 2 * t->n_edges; i++) {
        f->edges[2 * f->ne + i] = f->nv + t->edges[i];
        f->edge_faces[2 * f->ne + i] = t->edge_faces[i] < 0 ? -1 : f->nf + t->edge_faces[i];
    }
    for (i = 0; i < t->n_edges; i++)
        f->edge_owner[f->ne + i] = t->edge_owner[i] < 0 ? -1 : f->nf + t->edge_owner[i];
    f->nv += nv, f->ne += t->n_edges, f->nf += nf;
}

/* lists the movers of the kinematic bodies. 0: out of memory */
static int cti_prepare_movers(ct_world *w)
{
    cti_state *s = &w->state;
    int i;
    for (i = 0; i < s->surface.n_bodies; i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        cti_mover m;
        if (b->kind != CTI_BODY_KINEMATIC)
            continue;
        memset(&m, 0, sizeof m);
        m.v0 = s->surface.ranges[i].v0;
        m.n = s->surface.ranges[i].v1 - m.v0;
        m.vertices = b->surface_nodes;
        m.script = b->script;
        if (!CTI_PUSH(&w->mem, s->scripts.movers, m))
            return 0;
    }
    return 1;
}

/* computes the surface's positions from the current nodes, rotations and scripts */
static int cti_prepare_place(ct_world *w)
{
    cti_state *s = &w->state;
    int i, n = CTI_LEN(s->bodies.rigids);
    if (!cti_prepare_movers(w) || !CTI_RESIZE(&w->mem, s->bodies.frames, 9 * n) || !CTI_RESIZE(&w->mem, s->end.frames, 9 * n))
        return 0;
    for (i = 0; i < n; i++)
        cti_rigid_frame(&s->bodies.rigids[i], s->bodies.frames + 9 * (size_t)i);
    cti_assemble_standing(s);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
    return 1;
}

/* six times the volume that a closed surface encloses; < 0: it encloses free space, like the walls of a room */
static ct_real cti_prepare_volume(const cti_body *b)
{
    ct_real sum = 0;
    cti_v3 o = b->n ? cti_v3_at(b->rest, 0) : cti_v3_zero();
    int i;
    for (i = 0; i < CTI_LEN(b->triangles) / 3; i++) {
        const int32_t *t = b->triangles + 3 * i;
        cti_v3 p = cti_v3_sub(cti_v3_at(b->rest, t[0]), o), q = cti_v3_sub(cti_v3_at(b->rest, t[1]), o),
               r = cti_v3_sub(cti_v3_at(b->rest, t[2]), o);
        sum += cti_v3_dot(p, cti_v3_cross(q, r));
    }
    return sum;
}

CTI_FN int cti_body_is_solid(const cti_body *b) { return b->topology.closed && b->kind != CTI_BODY_CLOTH && cti_prepare_volume(b) > 0; }

/* builds the trees; the item order of a body's trees is computed once. 0: out of memory */
static int cti_prepare_trees(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    int b;
    f->broad.hashed = w->state.desc.broad_phase == CT_BROAD_HASH;
    if (!cti_broad_build(&w->mem, &f->broad, &f->soup, f->x0))
        return 0;
    for (b = 0; b < f->n_bodies && !f->broad.hashed; b++)
        if (!f->ranges[b].order && f->ranges[b].v1 > f->ranges[b].v0 &&
            !cti_broad_order(&w->mem, &f->broad, &f->soup, b, &w->bodies[w->surface_slot[b]].order))
            return 0;
    return 1;
}

/* asks the user whether two bodies meet */
static int cti_prepare_asks(void *world, int a, int b)
{
    ct_world *w = (ct_world *)world;
    int busy = w->busy, meets;
    w->busy = 1;
    meets = w->state.desc.may_meet(cti_world_id(w, w->surface_slot[a]), cti_world_id(w, w->surface_slot[b]), w->state.desc.may_meet_user);
    w->busy = busy;
    return meets;
}

/* who meets whom */
static void cti_prepare_filters(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    int i;
    for (i = 0; i < f->n_bodies; i++)
        f->ranges[i].filter = w->bodies[w->surface_slot[i]].filter, f->ranges[i].sensor = w->bodies[w->surface_slot[i]].sensor;
    f->soup.asks = w->state.desc.may_meet ? cti_prepare_asks : NULL, f->soup.world = w;
    cti_surface_filter(f);
    w->filtered = 1;
}

CTI_FN void cti_world_refilter(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    int i, same = 1;
    for (i = 0; i < f->n_bodies; i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        same &= f->ranges[i].sensor == b->sensor && f->ranges[i].filter.category == b->filter.category &&
                f->ranges[i].filter.mask == b->filter.mask && f->ranges[i].filter.group == b->filter.group;
    }
    if (!same)
        cti_prepare_filters(w);
    w->filtered = 1;
}

CTI_FN void cti_world_show(ct_world *w, int at)
{
    cti_surface *f = &w->state.surface;
    const cti_body *b;
    cti_surface_body *q;
    if (at < 0)
        return;
    b = &w->bodies[w->surface_slot[at]], q = &f->bodies[at];
    q->thickness = b->thickness, q->friction = b->friction, q->restitution = b->restitution, q->contact = b->contact;
    memcpy(q->spin_friction, b->spin_friction, sizeof q->spin_friction);
    memcpy(q->belt, b->belt, sizeof q->belt);
    f->has_spins |= b->spin_friction[0] > 0 || b->spin_friction[1] > 0;
    f->has_belts |= cti_v3_norm2(cti_v3_at(b->belt, 0)) > 0;
}

static ct_code cti_prepare_surface(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    cti_prepare_sizes n = cti_prepare_count(w);
    int i, index = 0;
    if (!cti_prepare_reserve(&w->mem, f, &n) || !CTI_RESIZE(&w->state.prepared, w->surface_slot, n.bodies))
        return CT_ERR_MEMORY;
    f->n_bodies = n.bodies;
    f->friction_combine = w->state.desc.friction_combine, f->restitution_combine = w->state.desc.restitution_combine;
    memset(&f->attach[n.moving], 0, sizeof *f->attach);
    f->attach[n.moving].frame = -1;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        w->surface_slot[index] = i;
        cti_world_show(w, index);
        f->bodies[index].dynamic = !cti_body_is_scripted(b) && !b->asleep;
        f->bodies[index].moves = cti_prepare_moves(b);
        f->bodies[index].is_cloth = b->kind == CTI_BODY_CLOTH;
        f->bodies[index].solid = cti_body_is_solid(b);
        f->bodies[index].id = cti_body_number(b, i);
        if (b->kind == CTI_BODY_PLANE) {
            cti_plane *p = &f->planes[f->n_planes++];
            memcpy(p->normal, b->plane_normal, sizeof p->normal);
            p->offset = b->plane_offset;
            p->body = index;
            f->ranges[index].v0 = f->ranges[index].v1 = f->nv;
            f->ranges[index].e0 = f->ranges[index].e1 = f->ne;
            f->ranges[index].f0 = f->ranges[index].f1 = f->nf;
        } else
            cti_prepare_body(w, f, index, b);
        index++;
    }
    f->soup.edges = f->edges, f->soup.faces = f->faces;
    f->soup.nv = f->nv, f->soup.ne = f->ne, f->soup.nf = f->nf;
    f->soup.vertex_is_point = f->is_point, f->soup.edge_faces = f->edge_faces;
    f->soup.tasks = &w->state.desc.tasks;
    f->soup.bodies = f->ranges, f->soup.n_bodies = n.bodies;
    cti_prepare_filters(w);
    if (!cti_surface_neighbours(&w->mem, f) || !cti_surface_find_still(&w->mem, f) || !cti_world_resolve_joints(w))
        return CT_ERR_MEMORY;
    cti_detect_still(f);
    return cti_prepare_place(w) && cti_prepare_trees(w) ? CT_OK : CT_ERR_MEMORY;
}

/* the pattern of the matrix from those of the bodies, and its first slots. A rigid body's two blocks are one cluster, though nothing in A couples
   them. 0: out of memory */
static int cti_prepare_pattern(ct_world *w, cti_bsr *A)
{
    const cti_state *s = &w->state;
    int b, i, k, slots = 0;
    A->n = 0;
    if (!CTI_RESIZE(&w->mem, A->row, s->n + 1) || !CTI_RESIZE(&w->mem, A->diag, s->n))
        return 0;
    for (b = 0; b < CTI_LEN(w->bodies); b++) {
        cti_body *q = &w->bodies[b];
        if (q->kind == CTI_BODY_FREE || q->block0 < 0)
            continue;
        if (cti_body_has_model(q) && !cti_model_pattern(&w->mem, &q->model, q->block0, q->n_blocks))
            return 0;
        for (i = 0; i < q->n_blocks; i++)
            A->row[q->block0 + i] = q->kind == CTI_BODY_RIGID ? 2 : q->model.pattern.row[i + 1] - q->model.pattern.row[i];
    }
    for (i = 0; i <= s->n; i++) {
        int m = i < s->n ? A->row[i] : 0;
        A->row[i] = slots, slots += m;
    }
    CTI_CLEAR(A->val); /* all entries are new: zero them */
    if (!CTI_RESIZE(&w->mem, A->col, slots) || !CTI_RESIZE(&w->mem, A->val, 9 * (size_t)slots))
        return 0;
    for (b = 0; b < CTI_LEN(w->bodies); b++) {
        cti_body *q = &w->bodies[b];
        const cti_bsr *p = &q->model.pattern;
        int at = q->kind == CTI_BODY_FREE || q->block0 < 0 ? 0 : A->row[q->block0];
        for (i = 0; q->kind == CTI_BODY_RIGID && i < 2; i++) {
            A->diag[q->block0 + i] = at + 3 * i;
            A->col[at + 2 * i] = q->block0, A->col[at + 2 * i + 1] = q->block0 + 1;
        }
        if (!cti_body_has_model(q))
            continue;
        for (i = 0; i < q->n_blocks; i++)
            A->diag[q->block0 + i] = at + p->diag[i];
        for (k = 0; k < CTI_LEN(p->col); k++)
            A->col[at + k] = q->block0 + p->col[k];
        cti_model_place(&q->model, at);
    }
    A->n = s->n;
    return 1;
}

static ct_code cti_prepare_matrix(ct_world *w)
{
    cti_state *s = &w->state;
    uint64_t *owners;
    int i, k;
    if (!cti_world_list_models(w) || !cti_prepare_pattern(w, &s->system.A))
        return CT_ERR_MEMORY;
    if (!(cti_steppers_of(w)->traits & CTI_STEPPER_NEEDS_FACTORS))
        return CT_OK;
    owners = CTI_ARENA_NEW(&w->arena, uint64_t, s->n + 1);
    if (!owners)
        return CT_ERR_MEMORY;
    for (i = 0; i < s->surface.n_bodies; i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        for (k = 0; b->block0 >= 0 && k < b->n_blocks; k++)
            owners[b->block0 + k] = cti_body_id(b, w->surface_slot[i]);
    }
    s->factors.tasks = &s->desc.tasks, s->factors.mem = &s->prepared, s->factors.lasting = &w->mem;
    return cti_factors_init(&s->factors, &w->arena, &s->system.A, owners) ? CT_OK : CT_ERR_MEMORY;
}

static int cti_prepare_system(cti_mem *m, cti_state *s, int n3, int components)
{
    cti_system *y = &s->system;
    int newmark = s->desc.integrator == CT_INTEGRATOR_NEWMARK;
    return CTI_RESIZE(m, y->b, n3) && CTI_RESIZE(m, y->force, n3) && CTI_RESIZE(m, y->force0, newmark ? n3 : 0) && CTI_RESIZE(m, y->v_free, n3) &&
           CTI_RESIZE(m, y->q, n3) && CTI_RESIZE(m, y->turns, components) && CTI_RESIZE(m, y->sizes, s->n) && CTI_RESIZE(m, y->work, 4 * n3 + 8);
}

static int cti_prepare_end(cti_mem *m, cti_state *s, int n3, int components)
{
    return CTI_RESIZE(m, s->end.v, n3) && CTI_RESIZE(m, s->end.x, n3) && CTI_RESIZE(m, s->end.impulse, n3) && CTI_RESIZE(m, s->end.fall, s->n) &&
           CTI_RESIZE(m, s->end.groups, components);
}

static int cti_prepare_energies(cti_mem *m, cti_state *s, int components)
{
    cti_energies *e = &s->energy;
    int bodies = s->bodies.n_models + CTI_LEN(s->bodies.rigids);
    return CTI_RESIZE(m, e->now, bodies) && CTI_RESIZE(m, e->end, bodies) && CTI_RESIZE(m, e->works, bodies) && CTI_RESIZE(m, e->through, bodies) &&
           CTI_RESIZE(m, e->moduli, s->bodies.n_models) && CTI_RESIZE(m, e->gains, bodies) && CTI_RESIZE(m, e->means, components) &&
           CTI_RESIZE(m, e->inner, s->bodies.n_models) && CTI_RESIZE(m, e->push, 3 * s->bodies.n_models) &&
           CTI_RESIZE(m, s->judge.bodies, bodies) && CTI_RESIZE(m, s->judge.of, bodies) && CTI_ZEROS(m, s->judge.debts, bodies);
}

static int cti_prepare_scratch(ct_world *w)
{
    cti_state *s = &w->state;
    int n3 = 3 * s->n;
    cti_mem *m = &w->mem;
    int i, components = CTI_LEN(s->factors.components);
    s->bodies.mass_min = 0;
    s->energy.known = 0;
    for (i = 0; i < s->n; i++)
        if (s->bodies.mass[i] > 0 && (s->bodies.mass_min == 0 || s->bodies.mass[i] < s->bodies.mass_min))
            s->bodies.mass_min = s->bodies.mass[i];
    if (!CTI_RESIZE(m, s->bodies.rigid_of, s->n))
        return 0;
    for (i = 0; i < s->n; i++)
        s->bodies.rigid_of[i] = -1;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        s->bodies.rigid_of[s->bodies.rigids[i].block] = s->bodies.rigid_of[s->bodies.rigids[i].block + 1] = i;
    if (!CTI_RESIZE(m, s->history.dv, n3) || !CTI_RESIZE(m, s->scripts.held, s->n))
        return 0;
    if (n3)
        memset(s->history.dv, 0, sizeof *s->history.dv * (size_t)n3), memset(s->scripts.held, 0, (size_t)s->n);
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].asleep)
            memset(s->scripts.held + w->bodies[i].block0, CTI_HELD_REPAIR, (size_t)w->bodies[i].n_blocks);
    return cti_integrate_reserve(s) && cti_impulses_reserve(s) && CTI_RESIZE(m, s->history.dv_free, n3) && CTI_RESIZE(m, s->scripts.fixed, s->n) &&
           CTI_RESIZE(m, s->scripts.v_fixed, n3) && CTI_RESIZE(m, s->scripts.filter, s->n) && CTI_RESIZE(m, s->parts.zoned, components) &&
           cti_prepare_system(m, s, n3, components) && cti_prepare_end(m, s, n3, components) && cti_prepare_energies(m, s, components) &&
           cti_linkage_prepare(s);
}

/* what the stepper is told of the bodies, and its own data. 0: out of memory */
static int cti_prepare_stepper(ct_world *w)
{
    cti_state *s = &w->state;
    cti_stepper_body *bodies = CTI_ARENA_NEW(&w->arena, cti_stepper_body, s->surface.n_bodies + 1);
    int i, models = 0;
    if (!bodies)
        return 0;
    for (i = 0; i < s->surface.n_bodies; i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        cti_stepper_body *q = &bodies[i];
        int soft = cti_body_has_model(b) && !b->asleep;
        q->model = soft ? models++ : -1;
        q->rigid = b->rigid;
        q->embedded = soft && b->attach != NULL;
        q->block0 = b->block0;
        q->n_blocks = b->n_blocks;
        q->nodes = !soft ? NULL : (b->nodes ? b->nodes : b->rest);
        q->n_middles = CTI_LEN(b->split.edges) / 2;
        q->ends = b->split.edges;
    }
    s->surface.soup.new_only = w->clean;
    i = cti_steppers_of(w)->prepare(s, bodies);
    s->surface.soup.new_only = 0;
    return i;
}

CTI_FN ct_code cti_world_prepare(ct_world *w)
{
    ct_code code;
    int i;
    if (w->ready && !w->filtered) { /* what now meets may intersect */
        cti_prepare_filters(w);
        w->state.detect.n_tangled = cti_max_int(1, w->state.detect.n_tangled);
    }
    if (w->ready)
        return CT_OK;
    code = cti_world_keep_contacts(w);
    if (code != CT_OK)
        return code;
    cti_world_unprepare(w);
    cti_arena_reset(&w->arena);
    code = cti_prepare_surface(w);
    CTI_THEN(code, cti_prepare_matrix(w));
    if (code == CT_OK && !cti_prepare_scratch(w))
        code = CT_ERR_MEMORY;
    if (code == CT_OK && !cti_prepare_stepper(w))
        code = CT_ERR_MEMORY;
    if (code != CT_OK) {
        cti_world_unprepare(w);
        return cti_world_refuse(w, code, -1, 0, "out of memory while preparing the bodies");
    }
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        w->bodies[i].fresh = w->bodies[i].unsearched = 0;
    w->ready = w->prepared = w->searched = 1, w->n_fresh = 0;
    return CT_OK;
}
