/* cmd_run.c -- contact run: steps a scene, writes frames, statistics and a summary; its exit code is the result. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "inside.h"
#include "output.h"
#include "render.h"
#include "sim.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct run_options {
    const char *scene, *out, *dump;
    render_options render;
    const char **sets; /* [n_sets] */
    int n_sets;
    sim_options sim;
    long steps, every; /* -1: by the scene's duration; 1 */
    int check, json, quiet, csv;
    out_frames frames;
} run_options;

typedef struct run_state {
    run_options o;
    scene scene;
    sim sim;
    out_totals totals;
    out_file stats, csv;
    long stats_whole, csv_whole; /* bytes of the lines that are on disk */
    out_series frames;
    out_lock_file lock;
    inside_state *inside;
    render *picture;
    double *cpu_ms;           /* [steps] */
    long n_steps, last_found; /* intersections after the last step */
    int inverted;             /* 1: inverted elements have been named */
    int failed;
    double started;
} run_state;

static volatile sig_atomic_t run_stop;

static void run_on_signal(int number)
{
    (void)number;
    run_stop = 1;
}

static double run_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_whole(const char *name, const char *text, long lo, long hi, long *out)
{
    if (cli_integer(text, lo, hi, out))
        return 1;
    cli_fail("run: %s: expected a whole number from %ld to %ld, found '%s'", name, lo, hi, text);
    return 0;
}

/* options with a value; 1 consumed, 0 no such option, -1 wrong */
static int run_value_option(run_options *o, int argc, char **argv, int *i)
{
    const char *v = NULL;
    long n = 0;
    int r;
    if ((r = cli_option(argc, argv, i, "--set", &v)) != 0) {
        o->sets[o->n_sets++] = v;
        return r;
    }
    if ((r = cli_option(argc, argv, i, "--out", &o->out)) != 0 || (r = cli_option(argc, argv, i, "--stepper", &o->sim.stepper)) != 0 ||
        (r = cli_option(argc, argv, i, "--solver", &o->sim.solver)) != 0 || (r = cli_option(argc, argv, i, "--render", &o->render.path)) != 0 ||
        (r = render_option(&o->render, argc, argv, i)) != 0)
        return r;
    if ((r = cli_option(argc, argv, i, "--steps", &v)) != 0)
        return r < 0 || !run_whole("--steps", v, 0, 100000000, &o->steps) ? -1 : 1;
    if ((r = cli_option(argc, argv, i, "--every", &v)) != 0)
        return r < 0 || !run_whole("--every", v, 1, 100000000, &o->every) ? -1 : 1;
    if ((r = cli_option(argc, argv, i, "--threads", &v)) != 0) {
        if (r < 0 || !run_whole("--threads", v, 1, 256, &n))
            return -1;
        o->sim.threads = (int)n;
        return 1;
    }
    if ((r = cli_option(argc, argv, i, "--frames", &v)) != 0) {
        if (r < 0)
            return -1;
        for (n = 0; n < OUT_FRAMES_COUNT && strcmp(v, out_frames_names[n]); n++)
            ;
        if (n == OUT_FRAMES_COUNT) {
            cli_fail("run: --frames: expected obj, vtk, vtu, gltf or none, found '%s'", v);
            return -1;
        }
        o->frames = (out_frames)n;
        return 1;
    }
    return cli_option(argc, argv, i, "--dump-problems", &o->dump);
}

static int run_parse(run_options *o, int argc, char **argv)
{
    int i, r;
    memset(o, 0, sizeof *o);
    o->steps = -1;
    o->every = 1;
    o->sets = (const char **)cli_alloc((size_t)argc, sizeof *o->sets);
    o->sim.threads = 1;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            o->check = 1;
        else if (!strcmp(argv[i], "--paper"))
            o->sim.paper = 1;
        else if (!strcmp(argv[i], "--json"))
            o->json = 1;
        else if (!strcmp(argv[i], "--quiet"))
            o->quiet = 1;
        else if (!strcmp(argv[i], "--csv"))
            o->csv = 1;
        else if ((r = run_value_option(o, argc, argv, &i)) != 0) {
            if (r < 0)
                return 0;
        } else if (argv[i][0] == '-') {
            cli_unknown_option("run", argv[i]);
            return 0;
        } else if (o->scene) {
            cli_fail("run: expected one scene, found '%s' and '%s'", o->scene, argv[i]);
            return 0;
        } else {
            o->scene = argv[i];
        }
    }
    if (!o->scene)
        cli_fail("run: expected SCENE.json");
    else if (o->csv && !o->out)
        cli_fail("run: --csv: expected --out DIR, where stats.csv is written");
    else if (!o->render.path && (o->render.colour || o->render.range > 0 || o->render.edges || o->render.w))
        cli_fail("run: --colour, --range, --edges and --size are of a picture: expected --render FILE");
    else
        return 1;
    return 0;
}

static void run_feature(char *out, size_t size, const int32_t *v)
{
    int k, n = 0;
    out[0] = '\0';
    for (k = 0; k < 3 && v[k] >= 0; k++)
        n += snprintf(out + n, size - (size_t)n, "%s%d", k ? " " : "", (int)v[k]);
}

/* full intersection test; pairs that intersect at the start are named on stderr */
static long run_intersections(run_state *r, int name_them)
{
    ct_pair *pairs = NULL;
    int n = 0, i;
    char a[64], b[64], text[320];
    ct_code code = ct_world_validate(r->sim.world, &pairs, &n);
    if (code != CT_OK) {
        cli_fail("validation failed: %s", cli_error_text(code, ct_world_error(r->sim.world), text, sizeof text));
        r->failed = 1;
        return 0;
    }
    if (name_them && n)
        fprintf(stderr, "contact: warning: %s: %d pairs intersect at the start; they are reported and eased apart, not refused\n",
                r->scene.file, n);
    for (i = 0; name_them && i < n && i < 10; i++) {
        int ia = sim_find(&r->sim, pairs[i].body_a), ib = sim_find(&r->sim, pairs[i].body_b);
        run_feature(a, sizeof a, pairs[i].vertices_a);
        run_feature(b, sizeof b, pairs[i].vertices_b);
        fprintf(stderr, "contact: warning:   %s (vertices %s) and %s (vertices %s)\n", ia < 0 ? "?" : r->sim.bodies[ia].name, a,
                ib < 0 ? "?" : r->sim.bodies[ib].name, b);
    }
    if (name_them && n > 10)
        fprintf(stderr, "contact: warning:   and %d more\n", n - 10);
    return n;
}

static void run_progress(const run_state *r, long step, int last)
{
    static double shown;
    double now = run_clock(CLOCK_MONOTONIC), part = r->n_steps ? (double)step / (double)r->n_steps : 1;
    char bar[41];
    int k;
    if (r->o.quiet || !isatty(STDERR_FILENO))
        return;
    if (!last && now - shown < 0.1)
        return;
    shown = now;
    for (k = 0; k < 40; k++)
        bar[k] = k < (int)(part * 40) ? '#' : '.';
    bar[40] = '\0';
    fprintf(stderr, "\r[%s] %ld/%ld steps, %.1f s%s", bar, step, r->n_steps, now - r->started, last ? "\n" : "");
    fflush(stderr);
}

static void run_count(run_state *r, const ct_step_report *p, double ms)
{
    out_totals *t = &r->totals;
    int k;
    r->cpu_ms[t->steps++] = ms;
    t->cpu_seconds += ms / 1000;
    t->contacts = p->contacts;
    t->max_contacts = p->contacts > t->max_contacts ? p->contacts : t->max_contacts;
    t->min_distance = fmin(t->min_distance, (double)p->min_distance);
    t->penetration = fmax(t->penetration, (double)p->penetration);
    t->joint_error = fmax(t->joint_error, (double)p->joint_error);
    t->momentum_lost += (double)p->momentum_lost;
    t->zones += p->zones;
    t->zone_steps += p->zones > 0;
    t->frozen += p->frozen;
    t->substeps += p->substeps;
    t->solver_iterations += p->solver_iterations;
    t->solver_sweeps += p->solver_sweeps;
    t->solver_fallbacks += p->solver_fallbacks;
    t->cg_steps += p->cg_steps, t->solves += p->solves, t->dropped += p->dropped;
    t->solve_seconds += 1e-3 * p->ms_solve;
    t->status_count[p->status]++;
    t->worst = p->status > t->worst ? p->status : t->worst;
    for (k = 0; k < 3; k++)
        t->center_of_mass[k] = p->center_of_mass[k];
}

/* --dump-problems: the contact problem of the step, if it had one */
static int run_dump(const run_state *r, long step)
{
    char path[1200];
    ct_code code;
    snprintf(path, sizeof path, "%s/step_%05ld.cpb", r->o.dump, step);
    code = ct_world_dump_problem(r->sim.world, path);
    if (code == CT_OK || code == CT_ERR_ARGUMENT)
        return 1;
    if (code == CT_ERR_UNSUPPORTED) {
        if (!r->o.quiet)
            fprintf(stderr, "contact: %s: not written: %s\n", path, ct_world_error(r->sim.world)->text);
        return 1;
    }
    cli_fail("%s: %s", path, ct_code_text(code));
    return 0;
}

/* a line of statistics in each of its files; 0: a file cannot be written */
static int run_stats(run_state *r, long step, const ct_step_report *p, long found, double ms)
{
    double t = ct_world_time(r->sim.world);
    char *line = NULL;
    size_t size = 0;
    FILE *f;
    out_stats(r->stats.f, (int)step, t, r->scene.dt, p, found, ms);
    if (!out_flush(&r->stats))
        return 0;
    r->stats_whole = ftell(r->stats.f);
    if (!r->o.csv)
        return 1;
    f = open_memstream(&line, &size);
    if (!f)
        return 0;
    out_stats(f, (int)step, t, r->scene.dt, p, found, ms);
    fclose(f);
    out_csv(r->csv.f, line, step == 1);
    free(line);
    if (!out_flush(&r->csv))
        return 0;
    r->csv_whole = ftell(r->csv.f);
    return 1;
}

/* the part after a step that is not timed: frames, checks, the line of statistics */
static int run_record(run_state *r, long step, const ct_step_report *p, double ms)
{
    long found = -1;
    int want = r->o.out && r->o.frames != OUT_FRAMES_NONE && step % r->o.every == 0;
    char text[300];
    if (want || r->o.check || (r->picture && render_wants_frames(r->picture)))
        sim_refresh(&r->sim);
    if (r->o.check) {
        found = run_intersections(r, 0);
        text[0] = '\0';
        found += inside_count(r->inside, &r->sim, text, sizeof text);
        if (found && !r->totals.intersections)
            fprintf(stderr, "contact: %s: step %ld: %ld intersections%s%s\n", r->scene.file, step, found, *text ? "; " : "", text);
        r->totals.intersections += found;
        if (!r->inverted && inside_inverted(r->inside, &r->sim, text, sizeof text)) {
            fprintf(stderr, "contact: %s: step %ld: an %s\n", r->scene.file, step, text);
            r->inverted = 1;
        }
        r->last_found = found;
    }
    if (r->o.dump && !run_dump(r, step))
        return 0;
    if (r->o.out) {
        if (!run_stats(r, step, p, found, ms))
            return 0;
        if (want && !out_frame(&r->frames, &r->sim, (int)step, ct_world_time(r->sim.world)))
            return 0;
    }
    return !r->picture || render_frame(r->picture, &r->sim, (double)step * r->scene.dt);
}

static void run_loop(run_state *r)
{
    long step;
    for (step = 1; step <= r->n_steps && !run_stop && !r->failed; step++) {
        ct_step_report report;
        double before, ms;
        ct_code code;
        memset(&report, 0, sizeof report);
        if (!sim_change(&r->sim, &r->scene, ct_world_time(r->sim.world))) {
            r->failed = 1;
            break;
        }
        before = run_clock(CLOCK_PROCESS_CPUTIME_ID);
        code = ct_world_step(r->sim.world, (ct_real)r->scene.dt, &report);
        ms = 1000 * (run_clock(CLOCK_PROCESS_CPUTIME_ID) - before);
        if (code != CT_OK) {
            char text[320];
            cli_fail("%s: step %ld: %s", r->scene.file, step, cli_error_text(code, ct_world_error(r->sim.world), text, sizeof text));
            r->failed = 1;
            break;
        }
        run_count(r, &report, ms);
        if (!run_record(r, step, &report, ms))
            r->failed = 1;
        run_progress(r, step, 0);
    }
    run_progress(r, r->totals.steps, 1);
    r->totals.interrupted = run_stop && r->totals.steps < r->n_steps;
}

static int run_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void run_total(run_state *r)
{
    out_totals *t = &r->totals;
    int n = t->steps;
    qsort(r->cpu_ms, (size_t)n, sizeof *r->cpu_ms, run_compare);
    t->median_cpu_ms = n ? 0.5 * (r->cpu_ms[(n - 1) / 2] + r->cpu_ms[n / 2]) : 0;
    t->max_cpu_ms = n ? r->cpu_ms[n - 1] : 0;
    t->frozen_fraction = n && r->sim.n_nodes > 0 ? (double)t->frozen / (r->sim.n_nodes * n) : 0;
    t->wall_seconds = run_clock(CLOCK_MONOTONIC) - r->started;
    t->time = ct_world_time(r->sim.world);
    t->hash = ct_world_hash(r->sim.world);
    t->nodes = r->sim.n_nodes, t->tets = r->sim.n_tets;
    if (t->min_distance > 1e300)
        t->min_distance = 2 * r->scene.thickness;
}

static void run_print(const out_totals *t)
{
    int i;
    printf("%s: %d steps of %g s, %s with %s, %d bits, %d thread%s%s\n", t->scene_name, t->steps, t->dt, t->stepper, t->solver,
           ct_library_info_get()->real_bits, t->threads, t->threads > 1 ? "s" : "", t->interrupted ? ", interrupted" : "");
    printf("  time           median %.3g ms a step, worst %.3g ms, %.3g CPU seconds, %.3g s in all\n", t->median_cpu_ms, t->max_cpu_ms,
           t->cpu_seconds, t->wall_seconds);
    printf("  contacts       %d at the end, %d at most\n", t->contacts, t->max_contacts);
    if (t->checked)
        printf("  intersections  %ld\n", t->intersections);
    else
        printf("  intersections  not tested (--check)\n");
    printf("  min distance   %.3g m\n", t->min_distance);
    if (t->joint_error > 0)
        printf("  joints         open by %.3g m at most\n", t->joint_error);
    printf("  status        ");
    for (i = 0; i < CT_STATUS_COUNT_; i++)
        if (t->status_count[i])
            printf(" %s %d", ct_status_text((ct_status)i), t->status_count[i]);
    if (!strcmp(t->stepper, "dcd")) {
        printf("\n  depth          %.3g m at most\n", t->penetration);
        printf("  programs       %ld, %ld constraints dropped, %ld iterations, %.4g %% of them conjugate, %.3g s each\n", t->solves, t->dropped,
               t->solver_iterations, t->solver_iterations ? 100.0 * (double)t->cg_steps / (double)t->solver_iterations : 100.0,
               t->solves ? t->solve_seconds / (double)t->solves : 0);
        printf("  substeps       %ld", t->substeps);
    } else if (t->zone_steps > 0 || t->frozen > 0)
        printf("\n  fail-safe      acted in %.3g %% of steps, held %.3g %% of the nodes, took %.3g N s",
               t->steps ? 100.0 * t->zone_steps / t->steps : 0, 100.0 * t->frozen_fraction, t->momentum_lost);
    printf("\n  centre of mass %.6g %.6g %.6g\n", t->center_of_mass[0], t->center_of_mass[1], t->center_of_mass[2]);
}

static int run_start(run_state *r)
{
    const scene *s = &r->scene;
    r->n_steps = r->o.steps;
    if (r->n_steps < 0) {
        if (s->duration < 0) {
            cli_fail("%s: duration: expected seconds, or --steps N", s->file);
            return 0;
        }
        if (s->duration / s->dt > 1e8) {
            cli_fail("%s: duration: %g steps are too many", s->file, s->duration / s->dt);
            return 0;
        }
        r->n_steps = lround(s->duration / s->dt);
    }
    if (r->o.render.path && !render_possible(&r->o.render))
        return 0;
    if (!sim_create(s, &r->o.sim, &r->sim))
        return 0;
    if (r->o.out && (!out_make_directory(r->o.out) || !out_lock(&r->lock, r->o.out) || !out_open(&r->stats, r->o.out, "stats.jsonl")))
        return 0;
    if (r->o.csv && !out_open(&r->csv, r->o.out, "stats.csv"))
        return 0;
    if (r->o.dump && !out_make_directory(r->o.dump))
        return 0;
    if (r->o.render.path && !(r->picture = render_create(&r->o.render, s, &r->sim, s->dt)))
        return 0;
    r->cpu_ms = (double *)cli_alloc((size_t)r->n_steps, sizeof *r->cpu_ms);
    r->totals.scene_name = s->name;
    r->totals.scene_file = s->file;
    r->totals.stepper =
        r->o.sim.stepper ? r->o.sim.stepper : (s->stepper[0] ? s->stepper : ct_stepper_text(ct_world_desc_default().stepper));
    r->totals.solver =
        r->o.sim.solver ? r->o.sim.solver : (s->solver[0] ? s->solver : ct_solver_text(ct_world_desc_default().solver.solver));
    r->totals.threads = r->o.sim.threads;
    r->totals.dt = s->dt;
    r->totals.checked = r->o.check;
    r->totals.min_distance = HUGE_VAL;
    return 1;
}

static int run_write(run_state *r)
{
    out_file o;
    int ok = 1;
    if (r->o.out) {
        ok = out_close_lines(&r->stats, r->stats_whole);
        ok = (!r->csv.f || out_close_lines(&r->csv, r->csv_whole)) && ok;
        ok = out_series_close(&r->frames) && ok;
        if (out_open(&o, r->o.out, "summary.json")) {
            out_summary(o.f, &r->totals);
            ok = out_close(&o) && ok;
        } else {
            ok = 0;
        }
    }
    if (r->o.json)
        out_summary(stdout, &r->totals);
    else if (!r->o.quiet || !r->o.out)
        run_print(&r->totals);
    if (r->picture) {
        sim_refresh(&r->sim);
        ok = render_finish(r->picture, &r->sim) && ok;
        r->picture = NULL;
    }
    return ok;
}

/* 1 if `file` is in the folder */
static int run_is_in(const char *file, const char *directory)
{
    char parent[1024];
    struct stat a, b;
    const char *slash = file ? strrchr(file, '/') : NULL;
    size_t n = slash ? (size_t)(slash - file) : 0;
    if (!file || n + 1 >= sizeof parent)
        return 0;
    memcpy(parent, n ? file : (slash ? "/" : "."), n ? n : 1);
    parent[n ? n : 1] = '\0';
    return stat(parent, &a) == 0 && stat(directory, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* 1 if the scene reads meshes from the folder: a run may go on from a frame of an earlier one, which is kept then */
static int run_reads_from(const scene *s, const char *directory)
{
    int i;
    for (i = 0; i < s->n_bodies; i++)
        if (run_is_in(s->bodies[i].mesh, directory) || run_is_in(s->bodies[i].surface, directory) ||
            run_is_in(s->bodies[i].keyframes, directory))
            return 1;
    return 0;
}

static int run_all(run_state *r)
{
    const out_frames old = r->o.out && run_reads_from(&r->scene, r->o.out) ? OUT_FRAMES_NONE : r->o.frames;
    struct sigaction act;
    out_series_open(&r->frames, r->o.out, r->o.frames);
    memset(&act, 0, sizeof act);
    act.sa_handler = run_on_signal;
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    r->totals.start_intersections = (int)run_intersections(r, 1);
    if (r->o.check)
        r->inside = inside_create(&r->sim, &r->scene, r->totals.start_intersections > 0);
    if (r->failed || (r->o.out && (!out_clear(r->o.out, old) || !out_frame(&r->frames, &r->sim, 0, 0))))
        return CLI_FAILED;
    if (r->o.dump && !out_remove_series(r->o.dump, "step_", ".cpb"))
        return CLI_FAILED;
    if (r->picture && !render_frame(r->picture, &r->sim, 0))
        return CLI_FAILED;
    run_loop(r);
    run_total(r);
    if (!run_write(r) || r->failed)
        return CLI_FAILED;
    if (r->totals.interrupted)
        return CLI_INTERRUPTED;
    /* the discrete stepper allows intersections */
    if (!strcmp(r->totals.stepper, "dcd"))
        return CLI_DONE;
    /* a start without intersections has none in any step; one with intersections has to be without at the end */
    return (r->totals.start_intersections ? r->last_found : r->totals.intersections) > 0 ? CLI_BROKEN : CLI_DONE;
}

int cmd_run(int argc, char **argv)
{
    run_state *r = (run_state *)cli_alloc(1, sizeof *r);
    int code = CLI_BAD_INPUT;
    r->lock.handle = -1;
    r->started = run_clock(CLOCK_MONOTONIC);
    if (run_parse(&r->o, argc, argv) && scene_read(r->o.scene, r->o.sets, r->o.n_sets, &r->scene)) {
        if (run_start(r))
            code = run_all(r);
        if (r->stats.f)
            out_discard(&r->stats);
        if (r->csv.f)
            out_discard(&r->csv);
        out_series_free(&r->frames);
        sim_free(&r->sim);
        scene_free(&r->scene);
    }
    out_unlock(&r->lock);
    if (r->picture)
        render_discard(r->picture);
    inside_free(r->inside);
    free(r->cpu_ms);
    free((void *)r->o.sets);
    free(r);
    return code;
}
