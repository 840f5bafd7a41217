/* soak.c -- many random worlds, each in a process of its own: a crash or a hang costs one seed.
     soak [--set mixed|rods|barrier|penalty|layers|explicit|geometric] [--worlds N] [--seed FIRST] [--jobs N] [--seconds S]
                                                                 runs worlds FIRST, FIRST + 1, ...; exit code 1 when a count is not 0
     soak --across [--set ...] [--worlds N] [--seed FIRST]       a snapshot of each world goes on in another process, for sixty steps
     soak --seed N --verbose [--drop 1,3] [--steps N] [--calm]   repeats one world in this process
     soak --seed N --shrink                                      looks for a smaller world that fails in the same way */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "soak.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPU_MOST = 60, WALL_MOST = 3600, JOBS_MOST = 64 }; /* [s] that a world may take */

static const char *program;

typedef struct job {
    pid_t pid;
    int pipe;
    uint64_t seed;
    time_t began;
    char log[64];
} job;

typedef struct totals {
    int worlds, bad[SOAK_VERDICTS], status[CT_STATUS_COUNT_];
    long touching;
    long live, events, overlaps, slept;
    int refused, misuse, tangled, left, stopped, unstable, split, cut, reported, blown, dcd;
    long steps, zones, frozen, substeps, joints, bodies;
    double cpu, worst_cpu, worst_share;
    uint64_t worst_seed;
} totals;

/* the other process: this program once more, which goes on from the file */
static void across(const soak_options *o, soak_result *r)
{
    char file[160], line[400];
    unsigned long long hash = 0;
    int steps = -1;
    FILE *f;
    soak_across_file(o, file, sizeof file);
    if (r->step == 0 || r->verdict != SOAK_FINE || (f = fopen(file, "r")) == NULL)
        return;
    fclose(f);
    snprintf(line, sizeof line, "%s --set %s --seed %llu --steps %d --load %s", program, soak_set_text(o->set), (unsigned long long)o->seed, r->step, file);
    f = popen(line, "r");
    if (!f || fscanf(f, "%llx %d", &hash, &steps) != 2 || hash != r->hash || steps != r->steps) {
        r->verdict = SOAK_BITS;
        snprintf(r->text, sizeof r->text, "%d steps here, hash %llx; %d steps in another process, hash %llx", r->steps, (unsigned long long)r->hash, steps, hash);
    }
    if (f)
        pclose(f);
    remove(file);
}

static void start(job *j, const soak_options *o)
{
    int ends[2];
    fflush(stdout);
    snprintf(j->log, sizeof j->log, "/tmp/soak_%ld_%llu.log", (long)getpid(), (unsigned long long)o->seed);
    j->seed = o->seed, j->began = time(NULL);
    if (pipe(ends) != 0 || (j->pid = fork()) < 0) {
        perror("soak");
        exit(2);
    }
    if (j->pid == 0) {
        struct rlimit cpu;
        soak_result r;
        cpu.rlim_cur = CPU_MOST, cpu.rlim_max = CPU_MOST + 5;
        setrlimit(RLIMIT_CPU, &cpu);
        cpu.rlim_cur = cpu.rlim_max = 0;
        setrlimit(RLIMIT_CORE, &cpu);
        if (!freopen(j->log, "w", stderr))
            _exit(2);
        close(ends[0]);
        memset(&r, 0, sizeof r);
        soak_world(o, &r);
        if (o->across)
            across(o, &r);
        if (write(ends[1], &r, sizeof r) != (ssize_t)sizeof r)
            _exit(2);
        exit(0); /* leaks are looked for on the way out */
    }
    close(ends[1]);
    j->pipe = ends[0];
}

/* what the process wrote when it died: the lines that say why */
static void read_log(const job *j, char *out, size_t size)
{
    FILE *f = fopen(j->log, "r");
    char line[400];
    size_t n = 0;
    int frames = 0;
    out[0] = 0;
    while (f && fgets(line, sizeof line, f) && frames < 7) {
        if (!strstr(line, "ERROR:") && !strstr(line, "runtime error") && !strstr(line, "    #"))
            continue;
        frames += strstr(line, "    #") != NULL;
        line[strcspn(line, "\n")] = 0;
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "\n      " : "", line);
        if (n >= size)
            break;
    }
    if (f)
        fclose(f);
}

/* waits for one; returns 1 when its result is whole */
static void finish(job *j, int status, soak_result *r)
{
    ssize_t n = read(j->pipe, r, sizeof *r);
    int died = WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
    close(j->pipe);
    if (n != (ssize_t)sizeof *r)
        memset(r, 0, sizeof *r), died = 1;
    if (died) {
        int cpu = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        r->verdict = cpu ? SOAK_HANG : SOAK_CRASH;
        read_log(j, r->text, sizeof r->text);
        if (!r->text[0])
            snprintf(r->text, sizeof r->text, "ended by signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    remove(j->log);
}

/* one world in a process of its own */
static void alone(const soak_options *o, soak_result *r)
{
    job j;
    int status = 0;
    start(&j, o);
    waitpid(j.pid, &status, 0);
    finish(&j, status, r);
}

static void command(const soak_options *o, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "--set %s --seed %llu --verbose", soak_set_text(o->set), (unsigned long long)o->seed);
    int i, first = 1;
    for (i = 0; i < 32; i++)
        if (o->drop >> i & 1)
            n += (size_t)snprintf(out + n, size - n, "%s%d", first ? " --drop " : ",", i), first = 0;
    if (o->max_steps)
        n += (size_t)snprintf(out + n, size - n, " --steps %d", o->max_steps);
    if (o->calm)
        snprintf(out + n, size - n, " --calm");
}

/* leaves out bodies, what happens between steps, and late steps as long as the failure is of the same kind */
static void shrink(const char *self, soak_options o)
{
    soak_result r, first;
    char text[256];
    int i;
    alone(&o, &first);
    printf("seed %llu: %s: %s\n", (unsigned long long)o.seed, soak_verdict_text(first.verdict), first.text);
    if (first.verdict == SOAK_FINE)
        return;
    {
        soak_options p = o;
        p.calm = 1;
        alone(&p, &r);
        o = r.verdict == first.verdict ? p : o;
    }
    for (i = 0; i < 32; i++) {
        soak_options p = o;
        if (o.calm && i > 7)
            break;
        p.drop |= 1u << i;
        alone(&p, &r);
        if (r.verdict == first.verdict && r.bodies < first.bodies)
            o = p, first = r;
    }
    for (i = 1; i < 32; i++) {
        soak_options p = o;
        p.max_steps = i;
        alone(&p, &r);
        if (r.verdict == first.verdict) {
            o = p;
            break;
        }
    }
    alone(&o, &r);
    command(&o, text, sizeof text);
    printf("smaller: %s %s\n  %s\n  %s: %s\n", self, text, r.what, soak_verdict_text(r.verdict), r.text);
}

static void add(totals *t, const soak_result *r, uint64_t seed)
{
    int k;
    t->worlds++, t->bad[r->verdict]++;
    for (k = 0; k < CT_STATUS_COUNT_; k++)
        t->status[k] += r->status[k];
    t->refused += r->refused, t->misuse += r->misuse, t->live += r->live, t->events += r->events, t->overlaps += r->overlaps, t->slept += r->slept;
    t->tangled += r->tangled_start, t->left += r->left, t->cut += r->cut,
        t->stopped += r->stopped, t->unstable += r->unstable, t->split += r->split, t->touching += r->touching, t->reported += r->crossing_reported;
    t->dcd += strncmp(r->what, "dcd", 3) == 0;
    t->blown += r->energy_ratio > 1e3;
    t->steps += r->steps, t->zones += r->zones, t->frozen += r->frozen, t->substeps += r->substeps, t->joints += r->joints,
        t->bodies += r->bodies;
    t->cpu += r->cpu, t->worst_cpu = fmax(t->worst_cpu, r->worst_cpu);
    if (r->worst_share > t->worst_share)
        t->worst_share = r->worst_share, t->worst_seed = seed;
}

static void print_one(const char *self, const soak_options *o, const soak_result *r, uint64_t seed)
{
    if (r->verdict != SOAK_FINE)
        printf("FAILED seed %llu, step %d: %s\n      %s\n      %s\n      %s --set %s --seed %llu --verbose\n", (unsigned long long)seed, r->step,
               soak_verdict_text(r->verdict), r->text, r->what, self, soak_set_text(o->set), (unsigned long long)seed);
    else if (r->cpu > 5)
        printf("note: seed %llu took %.1f s: %s\n", (unsigned long long)seed, r->cpu, r->what);
    else if (r->energy_ratio > 1e3)
        printf("note: seed %llu, step %d: energy is %.3g times what there was: %s\n", (unsigned long long)seed, r->energy_step,
               r->energy_ratio, r->what);
}

static int print_totals(const totals *t, soak_set set, uint64_t first, uint64_t last)
{
    int k, bad = 0;
    for (k = 1; k < SOAK_VERDICTS; k++)
        bad += t->bad[k];
    printf("set %s, seeds %llu to %llu, %d-bit: %d worlds (%d discrete), %ld bodies, %ld joints, %ld steps, %ld substeps\n", soak_set_text(set),
           (unsigned long long)first, (unsigned long long)last, (int)(8 * sizeof(ct_real)), t->worlds, t->dcd, t->bodies, t->joints,
           t->steps, t->substeps);
    printf("  status of steps:");
    for (k = 0; k < CT_STATUS_COUNT_; k++)
        printf(" %s %d%s", ct_status_text((ct_status)k), t->status[k], k + 1 < CT_STATUS_COUNT_ ? "," : "\n");
    printf("  zones %ld, node-steps frozen %ld; worlds that began tangled %d, that left their extent %d, that an intersecting start ended %d, "
           "whose fixed step was refused %d, ended early %d; bodies refused %d, misuse refused %d; meshes with elements split %d, steps with contacts %ld\n"
           "calls between steps %ld, events %ld, of sensors %ld, steps of sleepers %ld\n",
           t->zones, t->frozen, t->tangled, t->left, t->stopped, t->unstable, t->cut, t->refused, t->misuse, t->split, t->touching,
           t->live, t->events, t->overlaps, t->slept);
    printf("  steps without room, reported as such: %d; worlds whose energy rose a thousandfold: %d\n", t->reported, t->blown);
    printf("  processor %.0f s in steps, longest step %.1f s; nearest to its bound: %.0f %% (seed %llu)\n", t->cpu, t->worst_cpu,
           100 * t->worst_share, (unsigned long long)t->worst_seed);
    printf("  crashes %d, not finite %d, hangs %d, work above its bound %d, unreported intersections %d, validate disagrees %d, wrong "
           "codes %d, "
           "unreported depth %d, other bits %d, wrong events %d\n",
           t->bad[SOAK_CRASH], t->bad[SOAK_NAN], t->bad[SOAK_HANG], t->bad[SOAK_WORK], t->bad[SOAK_CROSSING], t->bad[SOAK_DISAGREES],
           t->bad[SOAK_CODE], t->bad[SOAK_DEPTH], t->bad[SOAK_BITS], t->bad[SOAK_EVENTS]);
    printf("%d passed, %d failed, 0 skipped\n", t->worlds - bad, bad);
    return bad != 0;
}

/* the set of a name, or SOAK_SETS */
static soak_set set_of(const char *name)
{
    int k;
    for (k = 0; k < SOAK_SETS; k++)
        if (strcmp(name, soak_set_text((soak_set)k)) == 0)
            break;
    return (soak_set)k;
}

/* all of them, `jobs` at a time; results are printed as they come */
static int many(const char *self, const soak_options *o, int worlds, int jobs, double seconds)
{
    static job running[JOBS_MOST];
    totals t;
    uint64_t at = o->seed;
    int n = 0, i, status;
    time_t began = time(NULL);
    memset(&t, 0, sizeof t);
    while (n > 0 || (at < o->seed + (uint64_t)worlds && !(seconds > 0 && difftime(time(NULL), began) > seconds))) {
        struct timespec nap;
        nap.tv_sec = 0, nap.tv_nsec = 2000000;
        while (n < jobs && at < o->seed + (uint64_t)worlds && !(seconds > 0 && difftime(time(NULL), began) > seconds)) {
            soak_options p = *o;
            p.seed = at++;
            start(&running[n++], &p);
        }
        for (i = 0; i < n; i++) {
            soak_result r;
            if (difftime(time(NULL), running[i].began) > WALL_MOST)
                kill(running[i].pid, SIGKILL);
            if (waitpid(running[i].pid, &status, WNOHANG) != running[i].pid)
                continue;
            finish(&running[i], status, &r);
            add(&t, &r, running[i].seed);
            print_one(self, o, &r, running[i].seed);
            if (t.worlds % 100 == 0)
                printf("... %d worlds, %ld steps, %.0f s\n", t.worlds, t.steps, difftime(time(NULL), began));
            fflush(stdout);
            running[i--] = running[--n];
        }
        nanosleep(&nap, NULL);
    }
    return print_totals(&t, o->set, o->seed, at - 1);
}

int main(int argc, char **argv)
{
    soak_options o;
    soak_result r;
    int i, worlds = 2000, jobs = 1, smaller = 0, single = 0;
    double seconds = 0;
    memset(&o, 0, sizeof o);
    o.seed = 1;
    for (i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(a, "--verbose") == 0)
            o.verbose = single = 1;
        else if (strcmp(a, "--calm") == 0)
            o.calm = 1;
        else if (strcmp(a, "--across") == 0)
            o.across = 1;
        else if (strcmp(a, "--load") == 0)
            o.load = value, o.across = 1, i++;
        else if (strcmp(a, "--shrink") == 0)
            smaller = 1;
        else if (strcmp(a, "--set") == 0 && set_of(value) < SOAK_SETS)
            o.set = set_of(value), i++;
        else if (strcmp(a, "--seed") == 0)
            o.seed = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--worlds") == 0)
            worlds = atoi(value), i++;
        else if (strcmp(a, "--jobs") == 0)
            jobs = atoi(value), i++;
        else if (strcmp(a, "--seconds") == 0)
            seconds = atof(value), i++;
        else if (strcmp(a, "--steps") == 0)
            o.max_steps = atoi(value), i++;
        else if (strcmp(a, "--drop") == 0) {
            for (; *value; value += strcspn(value, ","), value += *value == ',')
                o.drop |= 1u << (atoi(value) & 31);
            i++;
        } else {
            fprintf(stderr, "soak: unknown option %s\n", a);
            return 2;
        }
    }
    program = argv[0];
    if (o.load) {
        soak_world(&o, &r);
        printf("%llx %d %s\n", (unsigned long long)r.hash, r.steps, r.text);
        return 0;
    }
    if (smaller) {
        shrink(argv[0], o);
        return 0;
    }
    if (single) {
        soak_world(&o, &r);
        printf("%s, step %d: %s %s\n", soak_verdict_text(r.verdict), r.step, r.text, r.what);
        return r.verdict != SOAK_FINE;
    }
    jobs = jobs < 1 ? 1 : (jobs > JOBS_MOST ? JOBS_MOST : jobs);
    return many(argv[0], &o, worlds, jobs, seconds);
}
