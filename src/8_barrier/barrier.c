/* barrier.c -- the barrier stepper.
   Method: one step is the minimum of the incremental potential (barrier_energy.c), found by projected Newton steps, each cut where a pair would come
   too near (barrier_pairs.c) and halved until the potential falls. So every iterate is free of intersections, also one at which the
   iterations run out. A Newton step also contains what is left of the motion of scripted blocks and surfaces, and is cut for them alike. Until
   they are at their ends it need not decrease the potential, since scripts do work on it.
   The scale of the barriers' forces is an acceleration, and a pair's force is that times the mass of its lighter body. It follows the forces of the
   last step: a load then holds its pairs at distances near half of dhat. differs: IPC's follows from gradients at the start of a step, which
   asks for distances as they are.
   based on: Li et al. 2020, algorithm 1, sec. 5; lecture notes 4.3. */
#include "barrier.h"
#include "../8_step/assemble.h"
#include "../8_step/joints.h"
#include "../8_step/report.h"

/* cti_barrier_run -- Newton iterations of a step */
typedef struct cti_barrier_run {
    ct_real *shift;  /* [3 nv] what is left of the scripts' way */
    int moves;       /* 1: there is some */
    int iterations;
    ct_real speed;   /* [m/s] of the last Newton step */
    int is_last;     /* 1: it is short enough to end with */
    int leads;       /* 1: its potential has the friction of its start, and friction is to be that of its end */
    int lifted;      /* 1: its Hessian was lifted: it is shorter than Newton's */
    double start, stored, stiff; /* [J] energies at the start: of bodies and contacts, of contacts alone, cti_barrier_contact.stiff */
} cti_barrier_run;

/* ---- the barriers' scale ---- */

/* gravity; where there is none, the acceleration that stops the fastest block in a step */
static double cti_barrier_pull(const cti_state *s)
{
    double speed = 0, g = (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    int i;
    for (i = 0; i < s->n && !(g > 0); i++)
        speed = cti_fmax(speed, (double)cti_v3_norm(cti_v3_at(s->v, i)));
    if (!(g > 0))
        g = speed > 0 ? speed / (double)cti_barrier_own(s)->h : 1;
    return g;
}

static void cti_barrier_scale_open(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    b->contact.least = cti_barrier_pull(s);
    if (!(b->scale.now > 0))
        b->scale.now = b->scale.solved = b->contact.least;
}

/* The scale that the contacts ask for, by their forces over their masses; *n of them. Walls are gone in the next step, and ask for nothing. It falls
   by a factor of two at most, and not below `least`: a body that lies on a quarter of its vertices is then at half of dhat, and needs no rise */
static double cti_barrier_wanted(const cti_state *s, int *n)
{
    const cti_barrier *b = cti_barrier_own(s);
    cti_potential_terms t;
    double sum = 0, now = b->scale.now, want;
    int i;
    for (i = *n = 0; i < CTI_LEN(b->contact.terms); i++)
        if (b->contact.terms[i].mass > 0 && !b->contact.terms[i].wall &&
            cti_barrier_eval(s, &b->contact.terms[i], s->surface.x0, CTI_POTENTIAL_VALUE, &t)) {
            double pull = (double)(t.force / b->rule.contact / b->contact.terms[i].mass);
            sum += pull * pull;
            ++*n;
        }
    want = *n > 0 ? sqrt(sum / *n) / cti_barrier_tuned.rule.load : 0;
    if (want > 2 * now)
        now = want;
    else if (want < now / 4)
        now /= 2;
    return cti_fmax(now, b->contact.least);
}

/* After a step the scale goes towards what the contacts carried. The barriers' energy is proportional to it, and no motion pays for a rise. So that
   energy rises by what the step lost at most: otherwise a box that begins within dhat flies up (test_barrier). Contacts lose what a fall takes, and
   that much less as a rise gives. lost [J]: of the step, beside friction */
static void cti_barrier_rescale(cti_state *s, double lost, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double stored = r->energy_contact, scale;
    int n;
    if (s->desc.barrier.stiffness > 0)
        return;
    scale = cti_barrier_wanted(s, &n) / b->scale.now;
    if (n > 0 && (scale - 1) * stored > lost)
        scale = 1 + lost / stored;
    b->scale.now *= scale;
    r->energy_contact += (scale - 1) * stored, r->loss_contact -= (scale - 1) * stored;
}

/* The energies of contacts, and energy_gained, which belongs to the rest of the report. What pairs store at the end they give back, so that it is no
   loss. What walls store is one: they are gone in the next step. A force of the end works on the way of the whole step: what that is more than is
   stored contacts lose by the implicit rule. A contact turns along its way, so that the force of the end may take less than is stored: that is an
   error of the rule, and no loss */
static void cti_barrier_account(cti_state *s, const cti_barrier_run *q, double given, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double friction = r->loss_contact, implied, lost;
    cti_potential_terms t;
    int i;
    r->energy_contact = b->contact.energy, b->contact.eased += q->stiff - b->contact.stiff;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++)
        if (b->contact.terms[i].wall && cti_barrier_eval(s, &b->contact.terms[i], s->surface.x0, CTI_POTENTIAL_VALUE, &t))
            r->energy_contact -= t.value / (double)b->rule.contact;
    r->loss_contact += b->contact.worked - (r->energy_contact - q->stored);
    cti_report_gain(q->start - given, r);
    implied = r->loss_contact - friction, lost = cti_fmax(0, implied - r->energy_gained);
    s->judge.untaken += cti_fmax(0, implied - lost);
    cti_barrier_rescale(s, lost, r);
}

/* ---- scripts ---- */

/* the filter and the goal of y. Returns 1 when there is a way to go */
static int cti_barrier_goal(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, moves = 0;
    for (i = 0; i < s->n; i++) {
        int turns = b->layout.block_of[i] < 0, at = turns ? b->layout.affines[s->bodies.rigid_of[i]].block + 1 : b->layout.block_of[i];
        for (k = 0; k < (turns ? 9 : 3); k++) {
            b->scripts.filter[at + k / 3] = s->scripts.filter[i];
            b->scripts.goal[3 * at + k] = b->y0[3 * at + k] + b->h * s->scripts.v_fixed[3 * i + k % 3];
            moves |= s->scripts.v_fixed[3 * i + k % 3] != 0;
        }
    }
    return moves;
}

/* where scripts go in this step. Returns 1 when there is a way to go */
static int cti_barrier_scripts(cti_state *s, ct_real *shift)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_surface *f = &s->surface;
    int i, k, v, moves = 0;
    cti_assemble_movers(s, cti_state_ahead(s, b->h));
    if (f->n_moving)
        memcpy(b->scripts.script, f->script, sizeof(ct_real) * 3 * (size_t)f->n_moving);
    memset(shift, 0, sizeof(ct_real) * 3 * (size_t)f->nv);
    for (k = 0; k < CTI_LEN(s->scripts.movers); k++)
        for (v = s->scripts.movers[k].v0; v < s->scripts.movers[k].v0 + s->scripts.movers[k].n; v++)
            for (i = 0; i < 3; i++) {
                ct_real *now = cti_surface_script(f, v);
                shift[3 * v + i] = now[i] - f->x0[3 * v + i];
                moves |= shift[3 * v + i] != 0;
                now[i] = f->x0[3 * v + i];
            }
    return moves | cti_barrier_goal(s);
}

/* scripted vertices a share t of what is left of their way from x0 */
static void cti_barrier_advance(cti_state *s, const ct_real *shift, ct_real t)
{
    cti_surface *f = &s->surface;
    int k, v;
    for (k = 0; k < CTI_LEN(s->scripts.movers); k++)
        for (v = s->scripts.movers[k].v0; v < s->scripts.movers[k].v0 + s->scripts.movers[k].n; v++) {
            cti_v3 end = cti_v3_at(cti_barrier_own(s)->scripts.script, v + f->bodies[f->body_of[v]].shift);
            cti_v3_put(cti_surface_script(f, v), 0, t < 1 ? cti_v3_mad(cti_v3_at(f->x0, v), cti_v3_at(shift, v), t) : end);
        }
}

/* ---- Newton's method ---- */

/* the surface at y + t dy, in surface.x1 */
static void cti_barrier_try(cti_state *s, const ct_real *shift, ct_real t)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    for (i = 0; i < 3 * b->n; i++)
        b->y_try[i] = b->y[i] + t * b->dy[i];
    cti_barrier_advance(s, shift, t);
    cti_barrier_place(s, b->y_try, s->surface.x1);
}

/* the step becomes the iterate; shift: what is left of the scripts' way */
static void cti_barrier_take(cti_state *s, ct_real *shift, ct_real t)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    memcpy(b->y, b->y_try, sizeof(ct_real) * 3 * (size_t)b->n);
    cti_surface_commit(&s->surface);
    cti_barrier_arrive(s);
    for (i = 0; i < 3 * s->surface.nv; i++)
        shift[i] *= t < 1 ? 1 - t : 0;
}

typedef enum cti_barrier_end { CTI_BARRIER_MEMORY, CTI_BARRIER_GOES_ON, CTI_BARRIER_CONVERGED, CTI_BARRIER_STUCK, CTI_BARRIER_SPENT } cti_barrier_end;

CTI_FN int cti_barrier_falls(double change, double slope, double size, double units)
{
    return change <= cti_barrier_tuned.search.fall * slope + units * (double)CTI_EPS * size;
}

CTI_FN int cti_barrier_clears(cti_state *s)
{
    ct_real clear = cti_barrier_is_proper(s, cti_barrier_own(s)->y_try) ? cti_barrier_filter(s, s->surface.x1, cti_barrier_tuned.search.sure) : 0;
    return clear < 0 ? -1 : clear >= 1;
}

/* halves the step from t on until the potential falls. 1, or 0: it does not; -1: out of memory */
static int cti_barrier_search(cti_state *s, cti_barrier_run *q, ct_real *t)
{
    cti_barrier *b = cti_barrier_own(s);
    double size, other, before = 0, after, slope = 0, lead = 0;
    double units = sizeof(ct_real) == sizeof(double) || q->is_last ? cti_barrier_tuned.search.rounding : cti_barrier_tuned.search.rounding_float;
    ct_real full = *t;
    int k, clear;
    if (!q->moves) {
        before = cti_barrier_energy(s, b->y, s->surface.x0, &size);
        if (size < 0)
            return -1;
        for (k = 0; k < 3 * b->n; k++)
            slope += (double)b->g[k] * (double)b->dy[k];
    }
    for (k = 0; k < cti_barrier_tuned.search.halvings; k++, *t /= 2) {
        if (k == cti_barrier_tuned.search.strict && units < cti_barrier_tuned.search.rounding)
            *t = full, units = cti_barrier_tuned.search.rounding;
        cti_barrier_try(s, q->shift, *t);
        clear = cti_barrier_clears(s);
        if (clear < 0 || (clear && !cti_barrier_find(s, s->surface.x1)))
            return -1;
        if (!clear || cti_barrier_squeezes(s, s->surface.x1))
            continue;
        if (q->moves)
            return 1;
        after = cti_barrier_energy(s, b->y_try, s->surface.x1, &other);
        if (other < 0 || (q->leads && !cti_barrier_lead_energy(s, &lead)))
            return -1;
        after += lead;
        if (cti_barrier_falls(after - before, (double)*t * slope, size + other, units))
            return 1;
    }
    return 0;
}

/* dy from the exact Hessian where it is due and positive definite, else from the projected one. 0: out of memory */
static int cti_barrier_direction(cti_state *s, cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    int definite, assembled = 0, lifts = 0;
    ct_real lift = CTI_EPS;
    q->lifted = 0;
    for (b->matrix.exact = !q->moves && b->matrix.sigma <= cti_barrier_tuned.search.shift;;) {
        double t0 = cti_state_clock(s);
        ct_real sigma = b->matrix.sigma;
        if (!assembled) {
            if (!cti_barrier_assemble(s, q->moves ? q->shift : NULL, r))
                return 0;
            cti_barrier_constrain(s);
        }
        r->ms_assemble += cti_state_clock(s) - t0;
        t0 = cti_state_clock(s);
        if (!cti_barrier_solve(s, &definite, r))
            return 0;
        r->ms_solve += cti_state_clock(s) - t0;
        if (definite || (!b->matrix.exact && lifts++ == cti_barrier_tuned.search.lifts))
            return 1;
        if (!b->matrix.exact) { /* a projected Hessian is definite, but for the rounding of its entries */
            cti_barrier_lift(s, lift);
            lift *= cti_barrier_tuned.search.lift;
            q->lifted = 1;
            assembled = 1;
            continue;
        }
        b->matrix.sigma = cti_max(4 * sigma, 4 * cti_barrier_tuned.search.first);
        assembled = b->matrix.exact = b->matrix.sigma <= cti_barrier_tuned.search.shift;
        if (assembled)
            cti_barrier_shift_mass(s, b->matrix.sigma - sigma);
    }
}

/* 1 where the forces on every deformable body that no script holds balance, to the tolerance and the rounding of contact forces. Elastic
   forces have no part in a body's sum, so that stiffness does not hide what is missing */
static int cti_barrier_balances(const cti_state *s)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real loads = 0;
    cti_potential_terms t;
    int i, k;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++)
        if (cti_barrier_eval(s, &b->contact.terms[i], s->surface.x0, CTI_POTENTIAL_VALUE, &t))
            loads += t.force;
    for (k = 0; k < s->bodies.n_models; k++) {
        cti_v3 sum = cti_v3_zero();
        ct_real mass = 0;
        int held = 0;
        for (i = s->history.block[k]; i <= s->history.last[k]; i++) {
            held |= s->scripts.n_constrained && s->scripts.filter[i] >= 0;
            mass += s->bodies.mass[i];
            sum = cti_v3_add(sum, cti_v3_at(b->g, b->layout.block_of[i]));
        }
        if (!held && cti_v3_norm(sum) > s->desc.barrier.newton_tolerance * b->h * mass + cti_barrier_tuned.search.rounding * CTI_EPS * loads)
            return 0;
    }
    return 1;
}

/* Short enough to end with: 1; 0; -1: out of memory. A shift sigma M of the Hessian makes dy too short, by 1 + sigma at most where the Hessian is
   at least M. Where that could decide, dy loses the shift, and is then a better step, too */
static int cti_barrier_is_last(cti_state *s, cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real tolerance = s->desc.barrier.newton_tolerance;
    double t0 = cti_state_clock(s);
    int definite;
    if (q->moves || !(q->speed <= tolerance) || (q->lifted && !cti_barrier_balances(s)))
        return 0;
    if (!b->matrix.exact || q->speed * (1 + b->matrix.sigma) <= tolerance)
        return 1;
    cti_barrier_shift_mass(s, -b->matrix.sigma);
    if (!cti_barrier_correct(s, &definite, r) || (definite && q->leads && !cti_barrier_lead(s, r)))
        return -1;
    r->ms_solve += cti_state_clock(s) - t0;
    if (!definite)
        return 0;
    b->matrix.sigma = 0;
    q->speed = cti_barrier_speed(s, b->dy);
    return q->speed <= tolerance;
}

/* the Newton step dy, cut and halved, becomes the iterate. 1; 0: no part of it does; -1: out of memory */
static int cti_barrier_move(cti_state *s, cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double t0 = cti_state_clock(s), t1;
    ct_real t, full;
    int found;
    cti_barrier_follow(s);
    cti_barrier_try(s, q->shift, 1);
    if (!cti_barrier_cover(s, s->surface.x1))
        return -1;
    full = t = cti_barrier_filter(s, s->surface.x1, cti_barrier_tuned.search.keep);
    t1 = cti_state_clock(s);
    r->ms_detect += t1 - t0;
    if (t < 0)
        return -1;
    found = cti_barrier_search(s, q, &t);
    r->ms_unconstrained += cti_state_clock(s) - t1;
    if (found < 0 || (found == 0 && !cti_barrier_find(s, s->surface.x0)))
        return -1;
    if (found == 0)
        return 0;
    /* a step that had to be halved was too long: where elasticity is near a bifurcation, its Hessian says little of what is ahead */
    if (t < full)
        b->matrix.sigma = cti_min(cti_max(4 * b->matrix.sigma, cti_barrier_tuned.search.first), 4 * cti_barrier_tuned.search.shift);
    else
        b->matrix.sigma = b->matrix.sigma < cti_barrier_tuned.search.first ? 0 : b->matrix.sigma / 3;
    cti_barrier_take(s, q->shift, t);
    if (!(t < 1))
        q->moves = 0;
    return 1;
}

/* The step that is short enough to end with is taken, too: it costs no factor, and what is left is of second order */
static cti_barrier_end cti_barrier_iterate(cti_state *s, cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    int moved, last;
    if (!cti_barrier_direction(s, q, r) || (q->leads && !cti_barrier_lead(s, r)))
        return CTI_BARRIER_MEMORY;
    r->newton_iterations++;
    q->iterations++;
    q->speed = cti_barrier_speed(s, b->dy);
    if (!cti_finite(q->speed))
        return CTI_BARRIER_STUCK;
    last = cti_barrier_is_last(s, q, r);
    if (last < 0)
        return CTI_BARRIER_MEMORY;
    q->is_last = last;
    if (last && !cti_barrier_keep_contacts(s))
        return CTI_BARRIER_MEMORY;
    moved = cti_barrier_move(s, q, r);
    if (moved < 0)
        return CTI_BARRIER_MEMORY;
    if (last && (!moved || cti_barrier_contacts_agree(s)))
        return CTI_BARRIER_CONVERGED;
    return moved ? CTI_BARRIER_GOES_ON : CTI_BARRIER_STUCK;
}

/* a solve with the rubs as they are, or where friction settles one iteration of it, but for the way of scripts */
static cti_barrier_end cti_barrier_descend(cti_state *s, cti_barrier_run *q, int settles, ct_step_report *r)
{
    cti_barrier_end end;
    do {
        if (q->iterations >= s->desc.barrier.newton_iterations) {
            cti_step_status(r, CT_STATUS_BUDGET);
            return CTI_BARRIER_SPENT;
        }
        q->leads = settles && !q->moves && CTI_LEN(cti_barrier_own(s)->contact.rubs) > 0;
        end = cti_barrier_iterate(s, q, r);
        if (end == CTI_BARRIER_CONVERGED && !cti_barrier_joints_settle(s))
            end = CTI_BARRIER_GOES_ON;
    } while (end == CTI_BARRIER_GOES_ON && (!settles || q->moves));
    return end;
}

/* Solves with friction of one linearization each, until one leaves friction as it is. Where friction settles, loads and directions follow each Newton
   iteration (barrier_lag.c), and are at last those of the end. 0: out of memory */
static int cti_barrier_minimize(cti_state *s, cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier_end end = CTI_BARRIER_GOES_ON;
    const cti_barrier_contact *c = &cti_barrier_own(s)->contact;
    /* contacts at walls begin in this step: their friction is that of its first solve */
    int settles = s->desc.barrier.friction_iterations == 0, lags = s->desc.barrier.friction_iterations + (CTI_LEN(c->walls) > 0), lag, done = 0;
    for (lag = 0; settles || (lag < lags && !done); lag++) {
        int first = q->iterations;
        if (!cti_barrier_lag(s))
            return 0;
        if (done || (end == CTI_BARRIER_CONVERGED && CTI_LEN(c->rubs) == 0))
            break;
        end = cti_barrier_descend(s, q, settles, r);
        if (end == CTI_BARRIER_MEMORY)
            return 0;
        done = end == CTI_BARRIER_STUCK || end == CTI_BARRIER_SPENT || (end == CTI_BARRIER_CONVERGED && q->iterations == first + 1);
    }
    if (end == CTI_BARRIER_STUCK || (end != CTI_BARRIER_SPENT && cti_barrier_own(s)->joints.open > 0))
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    return 1;
}

/* ---- the substep ---- */

/* the iterate becomes the state. 0: out of memory */
static int cti_barrier_commit(cti_state *s, const cti_barrier_run *q, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    const cti_barrier_forms *constraints = cti_barrier_constraints(s);
    cti_memory *next = &s->contact.memory_step[0], last;
    double size, before = r->energy_gained, given; /* [J] what substeps before have gained, and their part of the balance */
    int i, candidates = 0;
    given = r->work_pins + r->work_script + r->work_joints + r->work_recovery - r->loss_contact - r->loss_damping;
    cti_memory_clear(next);
    if (!cti_barrier_remember(s, next) || !cti_barrier_joints_close(s, next, r) || !cti_barrier_works(s, r) ||
        !(constraints ? constraints->touches(s, next, r) : cti_barrier_touches(s, next, r)))
        return 0;
    cti_barrier_energy(s, b->y, s->surface.x0, &size);
    if (size < 0)
        return 0;
    cti_barrier_store(s);
    memset(s->history.fall, 0, sizeof *s->history.fall * (size_t)s->n);
    s->energy.known = 0;
    s->step.time = cti_state_ahead(s, b->h);
    cti_assemble_stop(s, b->scripts.script, 0);
    last = s->contact.memory, s->contact.memory = *next, *next = last;
    for (i = 0; i < CTI_LISTS; i++)
        candidates += cti_candidates_len(&b->cover.list[i]);
    r->candidates = cti_max_int(r->candidates, candidates);
    r->rows = CTI_LEN(b->contact.terms);
    cti_report_energies(s, r);
    r->joint_error = cti_joints_error(s);
    r->rigid_strain = b->layout.strain;
    if (r->rigid_strain > cti_barrier_tuned.affine.strain)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    cti_barrier_account(s, q, given, r);
    r->energy_gained += before;
    return 1;
}

/* everything is ready for the first iteration. 0: out of memory */
static int cti_barrier_open(cti_state *s, ct_real h, cti_barrier_run *q)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_step_report r;
    double size;
    memset(q, 0, sizeof *q), memset(&r, 0, sizeof r);
    q->shift = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->surface.nv + 1);
    if (!q->shift || !cti_assemble_pins(s, h))
        return 0;
    cti_barrier_load(s, h);
    cti_barrier_scale_open(s);
    if (s->surface.nv)
        memcpy(b->surface.x_start, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    q->moves = cti_barrier_scripts(s, q->shift);
    cti_barrier_joints_open(s);
    if (!cti_barrier_cover(s, s->surface.x0) || !cti_barrier_find(s, s->surface.x0))
        return 0;
    if (cti_barrier_constraints(s))
        CTI_CLEAR(b->contact.terms);
    cti_report_energies(s, &r);
    cti_barrier_energy(s, b->y, s->surface.x0, &size);
    q->stored = b->contact.energy, q->stiff = b->contact.stiff, q->start = r.energy_kinetic + r.energy_elastic + r.energy_gravity + q->stored;
    return size >= 0;
}

/* a minimization from the start of the substep, with the walls that there are. used: Newton steps that count as made. 0: out of memory */
static int cti_barrier_attempt(cti_state *s, ct_real h, int used, cti_barrier_run *q, ct_step_report *r)
{
    const cti_barrier_forms *form = cti_barrier_form(s);
    r->status = CT_STATUS_OK;
    if (!cti_barrier_open(s, h, q))
        return 0;
    q->iterations = used;
    return form ? form->step(s, &q->speed, &q->moves, r) : cti_barrier_minimize(s, q, r);
}

/* Where no minimum was found, Newton's method may be on its way around a point or a rod, which takes it as many iterations as there are. Then the way
   to where inertia takes the bodies tells what is in it. *n: walls, of the first attempt only: the next ones have them. 0: out of memory */
static int cti_barrier_aims(cti_state *s, const ct_step_report *r, int attempt, int *n)
{
    *n = 0;
    if (attempt > 1 || r->status < CT_STATUS_BUDGET)
        return 1;
    cti_barrier_place(s, cti_barrier_own(s)->y_hat, s->surface.x1);
    *n = cti_barrier_walls(s, s->surface.x1);
    return *n >= 0;
}

/* back to the start of the substep, for another attempt */
static void cti_barrier_anew(cti_state *s, double solved)
{
    cti_barrier *b = cti_barrier_own(s);
    memcpy(s->surface.x0, b->surface.x_start, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    b->scale.solved = solved;
    b->cover.known = 0;
}

CTI_FN int cti_barrier_substep(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double solved = b->scale.solved;
    ct_status status = r->status;
    cti_barrier_run q;
    int attempt, used = 0, passes, walls, aims, extended = r->extended_elements;
    CTI_UNUSED(may_cut), CTI_UNUSED(need);
    cti_arena_reset(s->arena);
    CTI_CLEAR(b->contact.walls);
    for (attempt = 1;; attempt++) {
        if (!cti_barrier_attempt(s, h, used, &q, r))
            return 0;
        walls = cti_barrier_walls(s, s->surface.x0);
        if (walls < 0 || !cti_barrier_aims(s, r, attempt, &aims))
            return 0;
        used = attempt > 1 ? q.iterations + 1 : 0; /* all but the first share one budget, and each takes something of it */
        if ((walls == 0 && aims == 0) || used >= s->desc.barrier.newton_iterations || cti_barrier_form(s))
            break;
        cti_barrier_anew(s, solved > 0 ? solved : b->scale.now);
    }
    b->scripts.late = q.moves;
    if (!cti_barrier_commit(s, &q, r))
        return 0;
    passes = cti_barrier_passes(s);
    s->judge.coarse |= passes || walls > 0;
    r->residual = cti_max(r->residual, cti_finite(q.speed) ? q.speed : CTI_REAL_MAX);
    r->extended_elements = cti_max_int(r->extended_elements, extended);
    cti_step_status(r, status);
    return passes >= 0;
}
