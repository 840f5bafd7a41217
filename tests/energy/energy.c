/* energy.c -- no step gains energy unseen: stiff cubes that fall, free spins, chains, impacts (cases.h), and random worlds over the soak's
   range of materials, sizes and steps.
     energy [--cases] [--worlds N] [--seed FIRST] [--jobs N] [--only TEXT] [--all]   --only: cases whose name holds the text; --all: prints
                                                                      good random worlds too. Without --worlds and --cases: all cases
     energy --seed N --verbose                                        one random world, every step
   Method of random worlds: those of the soak (world.c) without what does work: scripted bodies, pins and joints, what begins tangled or
   nearer than its thickness. A fall has no lowest state there, so gains are shares of kinetic and elastic energy at the start and of what
   gravity has given at most since. Their start is that before the first step. Verdict of cases: energy_verdict; of a random world: no step gains.
   Counted apart are worlds of the discrete stepper, and doubling in steps of Otaduy 2009 as printed, which have no account: of these no step
   may gain without a status above `zones`. */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"
#include "worlds.h"
#include <sys/wait.h>
#include <unistd.h>

enum { CASES_MOST = 4096, JOBS_MOST = 64, CASE_SECONDS = 30 };

typedef struct energy_total {
    int runs, steps, good, broken[3], cut; /* broken: runs whose steps up to `zones` gain, that end too rarely so, that more than double */
    int worlds, discrete, world_broken[2], printed, printed_broken, discrete_broken[2], skipped;
    long world_steps, world_good;
} energy_total;

static energy_case cases[CASES_MOST];
static int n_cases;

static void add(energy_case c)
{
    if (n_cases < CASES_MOST)
        cases[n_cases++] = c;
}

static const double steps_of[3] = {1. / 60, 0.01, 0.003};

static void add_drops(void)
{
    static const double stuff[7][3] = {{2e11, 0.3, 7800}, {7e10, 0.33, 2700}, {1e9, 0.3, 1000},       {1e10, 0.3, 1000},
                                       {1e11, 0.3, 1000}, {1e12, 0.3, 1000},  {1e5, 0.49999999, 1000}};
    static const double sizes[3] = {0.01, 0.02, 0.2};
    int m, i, k, t, s;
    for (m = 0; m < 7; m++)
        for (k = 0; k < 5; k++)
            for (s = 0; s < 3; s++)
                for (t = 0; t < 3; t++)
                    for (i = 0; i < (m < 2 || m == 6 ? 3 : 1); i++)
                        add(energy_drop((ct_model)k, (ct_integrator)i, stuff[m][0], stuff[m][1], stuff[m][2], sizes[s], steps_of[t]));
    for (s = 0; s < 3; s++)
        for (t = 0; t < 3; t++) {
            energy_case c = energy_drop(CT_MODEL_NEOHOOKEAN, CT_INTEGRATOR_EULER, 1e12, 0.4, 1000, sizes[s], steps_of[t]);
            c.kind = ENERGY_TWO;
            add(c);
        }
}

static void make_cases(void)
{
    int k, i, s, t, mu, offset, v;
    add_drops();
    for (k = 0; k < 7; k++)
        for (i = 0; i < 3; i++)
            for (s = 0; s < 2; s++)
                for (t = 0; t < 3; t++)
                    add(energy_spin((ct_model)k, (ct_integrator)i, s ? 0.2 : 0.01, steps_of[t], 10));
    for (k = 2; k <= 5; k += 3)
        for (s = 0; s < 2; s++)
            for (t = 0; t < 4; t++)
                for (i = 0; i < 2; i++)
                    add(energy_chain(k, s ? 0.2 : 0.02, t == 3 ? 0.005 : steps_of[t], s ? 40 : 10,
                                     i ? CT_ROW_VELOCITY : CT_ROW_ANTICIPATED));
    for (mu = 0; mu < 2; mu++)
        for (offset = 0; offset < 3; offset++)
            for (v = 1; v <= 4; v++)
                for (t = 0; t < 3; t++)
                    for (k = 0; k < 4; k += 2)
                        add(energy_blow((ct_model)k, mu * 0.4, offset, v, 0.01 / (1 << t)));
}

static void run_case(const energy_case *c, energy_total *t)
{
    energy_run u;
    char name[160];
    int v;
    energy_name(c, name, sizeof name);
    energy_play(c, CASE_SECONDS, &u);
    v = energy_verdict(&u);
    energy_row(name, &u);
    t->runs++, t->steps += u.steps, t->good += u.n_good, t->cut += u.cut;
    t->broken[0] += v & 1, t->broken[1] += v >> 1 & 1, t->broken[2] += v >> 2 & 1;
}

/* ---- random worlds ---- */

static void describe(const soak_run *u, char *out, size_t size)
{
    char kinds[SOAK_BODIES + 1];
    int i, n = 0;
    for (i = 0; i < u->n_items; i++)
        if (u->items[i].alive)
            kinds[n++] = u->items[i].kind;
    kinds[n] = 0;
    snprintf(out, size, "%s %s %s, %.3g m, dt %.3g, h %.3g, %s, %d blocks", ct_stepper_text(u->desc.stepper),
             ct_solver_text(u->desc.solver.solver), ct_integrator_text(u->desc.integrator), u->size, u->dt, u->thickness, kinds,
             u->out->blocks);
}

static void run_world(uint64_t seed, int all, int verbose, energy_total *t)
{
    soak_options o;
    soak_run *u;
    energy_run e;
    char name[200], text[160];
    int v, dcd, printed, *broken;
    memset(&o, 0, sizeof o), memset(&e, 0, sizeof e);
    o.seed = seed, o.calm = 1, o.once = 1;
    u = energy_new_world(seed, &o);
    if (!energy_make_world(u) || (energy_play_world(u, verbose, &e), e.steps == 0)) {
        t->skipped++;
        energy_free_world(u);
        return;
    }
    dcd = u->desc.stepper == CT_STEPPER_DCD, printed = energy_is_printed(u);
    describe(u, text, sizeof text);
    snprintf(name, sizeof name, "%sseed %llu: %s", dcd ? "(discrete) " : (printed ? "(printed) " : ""), (unsigned long long)seed, text);
    v = energy_verdict(&e);
    broken = dcd ? t->discrete_broken : t->world_broken;
    broken[0] += v & 1;
    *(printed ? &t->printed_broken : broken + 1) += v >> 2 & 1;
    t->printed += printed, t->worlds += !dcd, t->discrete += dcd;
    if (!dcd)
        t->world_steps += e.steps, t->world_good += e.n_good;
    if (all || ((v & (printed ? 1 : 5)) && !dcd))
        energy_row(name, &e);
    energy_free_world(u);
}

/* ---- driver: every jobs-th run in a process of its own ---- */
typedef struct energy_plan {
    int cases, worlds, jobs, all;
    uint64_t seed;
    const char *only;
} energy_plan;

static void work(const energy_plan *p, int job, energy_total *t)
{
    int i, at = 0;
    for (i = 0; p->cases && i < n_cases; i++) {
        char name[160];
        energy_name(&cases[i], name, sizeof name);
        if (p->only && !strstr(name, p->only))
            continue;
        if (at++ % p->jobs == job)
            run_case(&cases[i], t), fflush(stdout);
    }
    for (i = job; i < p->worlds; i += p->jobs)
        run_world(p->seed + (uint64_t)i, p->all, 0, t), fflush(stdout);
}

static int report(const energy_total *t)
{
    int failed = t->broken[0] + t->broken[1] + t->broken[2] + t->world_broken[0] + t->world_broken[1];
    if (t->runs)
        printf("cases: %d runs, %d steps, %.2f %% up to zones, %d cut; gain unseen %d, end too rarely well %d, more than double %d\n",
               t->runs, t->steps, 100. * t->good / t->steps, t->cut, t->broken[0], t->broken[1], t->broken[2]);
    if (t->worlds)
        printf("random worlds: %d of %ld steps, %.2f %% up to zones; gain unseen %d, more than double %d; "
               "as printed: %d of them, more than double %d; discrete: %d, %d, %d; left out %d\n",
               t->worlds, t->world_steps, 100. * (double)t->world_good / (double)t->world_steps, t->world_broken[0], t->world_broken[1],
               t->printed, t->printed_broken, t->discrete, t->discrete_broken[0], t->discrete_broken[1], t->skipped);
    printf("%d passed, %d failed, 0 skipped\n", t->runs + t->worlds > failed ? t->runs + t->worlds - failed : 0, failed);
    return failed != 0;
}

static int drive(const energy_plan *p)
{
    int ends[JOBS_MOST][2], i, k, lost = 0;
    energy_total sum;
    memset(&sum, 0, sizeof sum);
    fflush(stdout);
    for (i = 0; i < p->jobs; i++) {
        if (pipe(ends[i]) != 0)
            return 2;
        if (fork() == 0) {
            energy_total t;
            memset(&t, 0, sizeof t);
            work(p, i, &t);
            _exit(write(ends[i][1], &t, sizeof t) != (ssize_t)sizeof t);
        }
        close(ends[i][1]);
    }
    for (i = 0; i < p->jobs; i++) {
        energy_total t;
        int *to = (int *)(void *)&sum;
        const int *from = (const int *)(const void *)&t;
        if (read(ends[i][0], &t, sizeof t) != (ssize_t)sizeof t) {
            lost++;
            continue;
        }
        for (k = 0; k < (int)(offsetof(energy_total, world_steps) / sizeof(int)); k++)
            to[k] += from[k];
        sum.world_steps += t.world_steps, sum.world_good += t.world_good;
    }
    while (wait(NULL) > 0)
        ;
    if (lost)
        printf("FAILED energy: %d processes died\n", lost);
    return report(&sum) || lost;
}

int main(int argc, char **argv)
{
    energy_plan p;
    int i, verbose = 0;
    memset(&p, 0, sizeof p);
    p.jobs = 1, p.seed = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (!strcmp(argv[i], "--worlds") && more)
            p.worlds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--seed") && more)
            p.seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--jobs") && more)
            p.jobs = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--only") && more)
            p.only = argv[++i], p.cases = 1;
        else if (!strcmp(argv[i], "--cases"))
            p.cases = 1;
        else if (!strcmp(argv[i], "--all"))
            p.all = 1;
        else if (!strcmp(argv[i], "--verbose"))
            verbose = 1;
        else {
            fprintf(stderr, "energy: %s? options: --cases --worlds N --seed FIRST --jobs N --only TEXT --all --verbose\n", argv[i]);
            return 2;
        }
    }
    p.jobs = p.jobs < 1 ? 1 : (p.jobs > JOBS_MOST ? JOBS_MOST : p.jobs);
    p.cases |= !p.worlds;
    make_cases();
    energy_head();
    if (verbose) {
        energy_total t;
        memset(&t, 0, sizeof t);
        run_world(p.seed, 1, 1, &t);
        return 0;
    }
    return drive(&p);
}
