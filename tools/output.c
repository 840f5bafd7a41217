/* output.c -- the files that a run writes. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"
#include "cli.h"
#include "output_fields.h"
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

int out_make_directory(const char *path)
{
    char part[1024];
    size_t i, n = strlen(path);
    struct stat info;
    if (n == 0 || n >= sizeof part) {
        cli_fail("the name of the output folder is %s", n ? "too long" : "empty");
        return 0;
    }
    for (i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            cli_fail("%s: cannot be made: %s", part, strerror(errno));
            return 0;
        }
    }
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        cli_fail("%s: is a file; expected a folder, or a name for a new one", path);
        return 0;
    }
    return 1;
}

static int out_remove(const char *directory, const char *name)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (unlink(path) == 0 || errno == ENOENT)
        return 1;
    cli_fail("%s: of an earlier run, cannot be removed: %s", path, strerror(errno));
    return 0;
}

int out_remove_series(const char *directory, const char *stem, const char *suffix)
{
    size_t n = strlen(stem);
    struct dirent *e;
    int ok = 1;
    DIR *d = opendir(directory);
    if (!d) {
        cli_fail("%s: cannot be read: %s", directory, strerror(errno));
        return 0;
    }
    while (ok && (e = readdir(d)) != NULL) {
        char name[64];
        /* only a name that a run writes, digit by digit */
        if (strncmp(e->d_name, stem, n) != 0 || e->d_name[n] < '0' || e->d_name[n] > '9')
            continue;
        snprintf(name, sizeof name, "%s%05ld%s", stem, strtol(e->d_name + n, NULL, 10), suffix);
        if (!strcmp(name, e->d_name))
            ok = out_remove(directory, name);
    }
    closedir(d);
    return ok;
}

const char *const out_frames_names[OUT_FRAMES_COUNT] = {"obj", "vtk", "vtu", "gltf", "none"};
static const char *const out_suffixes[OUT_FRAMES_COUNT] = {".obj", ".vtk", ".vtu", "", ""};
/* the file that a series has beside, or in place of, its frames */
static const char *const out_whole[OUT_FRAMES_COUNT] = {NULL, NULL, "frames.pvd", "animation.glb", NULL};

int out_clear(const char *directory, out_frames kind)
{
    return out_remove(directory, "stats.jsonl") && out_remove(directory, "stats.csv") && out_remove(directory, "summary.json") &&
           (!out_whole[kind] || out_remove(directory, out_whole[kind])) &&
           (!*out_suffixes[kind] || out_remove_series(directory, "frame_", out_suffixes[kind]));
}

int out_open(out_file *o, const char *directory, const char *name)
{
    int handle, n = snprintf(o->path, sizeof o->path, "%s%s%s", directory, *directory ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof o->path) {
        cli_fail("%s: the name is too long", name);
        return 0;
    }
    snprintf(o->temporary, sizeof o->temporary, "%s.tmp", o->path);
    /* An existing file is of a run that was killed, or a link of another user: a new file gets its name, and nothing is opened through it */
    remove(o->temporary);
    handle = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    o->f = handle < 0 ? NULL : fdopen(handle, "wb");
    if (!o->f) {
        cli_fail("%s: cannot be written: %s", o->temporary, strerror(errno));
        if (handle >= 0)
            close(handle);
    }
    o->error = 0;
    return o->f != NULL;
}

int out_flush(out_file *o)
{
    errno = 0;
    if (fflush(o->f) == 0 && !ferror(o->f))
        return 1;
    o->error = o->error ? o->error : (errno ? errno : EIO);
    return 0;
}

/* renames the file after everything that could be written is on disk; 0: the file is incomplete, and o->error tells why */
static int out_finish(out_file *o)
{
    out_flush(o);
    errno = 0;
    if (fclose(o->f) != 0 && !o->error)
        o->error = errno ? errno : EIO;
    o->f = NULL;
    return o->error == 0;
}

int out_close(out_file *o)
{
    int ok = out_finish(o);
    if (ok && rename(o->temporary, o->path) != 0)
        o->error = errno, ok = 0;
    if (!ok) {
        cli_fail("%s: cannot be written: %s", o->path, strerror(o->error));
        remove(o->temporary);
    }
    return ok;
}

int out_close_lines(out_file *o, long whole)
{
    int ok = out_finish(o), cut = ok ? 0 : truncate(o->temporary, (off_t)whole);
    int error = o->error;
    if (cut == 0 && rename(o->temporary, o->path) != 0)
        cut = -1, error = error ? error : errno;
    if (cut != 0)
        remove(o->temporary);
    if (!ok || cut != 0)
        cli_fail("%s: %s: %s", o->path, cut == 0 ? "ends early" : "cannot be written", strerror(error));
    return ok && cut == 0;
}

int out_lock(out_lock_file *l, const char *directory)
{
    struct flock lock;
    int n = snprintf(l->path, sizeof l->path, "%s/.contact.lock", directory);
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
    l->handle = n < 0 || (size_t)n >= sizeof l->path ? -1 : open(l->path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (l->handle < 0) {
        cli_fail("%s: cannot be written: %s", directory, strerror(errno));
        return 0;
    }
    if (fcntl(l->handle, F_SETLK, &lock) == 0)
        return 1;
    /* a file system without locks cannot prevent two runs in one folder */
    if (errno != EACCES && errno != EAGAIN)
        return 1;
    cli_fail("%s: another run is writing to this folder", directory);
    close(l->handle);
    l->handle = -1;
    return 0;
}

void out_unlock(out_lock_file *l)
{
    if (l->handle < 0)
        return;
    remove(l->path);
    close(l->handle);
    l->handle = -1;
}

void out_discard(out_file *o)
{
    if (o->f)
        fclose(o->f);
    o->f = NULL;
    remove(o->temporary);
}

/* vertices that are points of their own */
static int out_points(const sim_body *b) { return b->type == SCENE_POINTS ? b->n_vertices : 0; }

static void out_obj(FILE *f, const sim *m)
{
    int b, i, first = 1;
    for (b = 0; b < m->n_bodies; b++) {
        const sim_body *s = &m->bodies[b];
        fprintf(f, "o %s\n", s->name);
        for (i = 0; i < s->n_vertices; i++)
            fprintf(f, "v %.17g %.17g %.17g\n", s->positions[3 * i], s->positions[3 * i + 1], s->positions[3 * i + 2]);
        for (i = 0; i < s->n_triangles; i++)
            fprintf(f, "f %d %d %d\n", (int)s->triangles[3 * i] + first, (int)s->triangles[3 * i + 1] + first,
                    (int)s->triangles[3 * i + 2] + first);
        for (i = 0; i < s->n_segments; i++)
            fprintf(f, "l %d %d\n", (int)s->segments[2 * i] + first, (int)s->segments[2 * i + 1] + first);
        for (i = 0; i < out_points(s); i++)
            fprintf(f, "p %d\n", i + first);
        first += s->n_vertices;
    }
}

/* a section of cells of one kind: what it is called, and how many vertices a cell has */
static void out_vtk_cells(FILE *f, const sim *m, const char *name, int width)
{
    int b, i, k, first = 0, n = 0;
    for (b = 0; b < m->n_bodies; b++)
        n += width == 3 ? m->bodies[b].n_triangles : width == 2 ? m->bodies[b].n_segments : out_points(&m->bodies[b]);
    if (n == 0 && width < 3)
        return;
    fprintf(f, "%s %d %d\n", name, n, (width + 1) * n);
    for (b = 0; b < m->n_bodies; b++) {
        const sim_body *s = &m->bodies[b];
        n = width == 3 ? s->n_triangles : width == 2 ? s->n_segments : out_points(s);
        for (i = 0; i < n; i++) {
            fprintf(f, "%d", width);
            for (k = 0; k < width; k++)
                fprintf(f, " %d", first + (width == 3 ? (int)s->triangles[3 * i + k] : width == 2 ? (int)s->segments[2 * i + k] : i));
            fputc('\n', f);
        }
        first += s->n_vertices;
    }
}

static void out_vtk(FILE *f, const sim *m)
{
    int b, i, vertices = 0, cells = 0;
    for (b = 0; b < m->n_bodies; b++) {
        vertices += m->bodies[b].n_vertices;
        cells += m->bodies[b].n_triangles + m->bodies[b].n_segments + out_points(&m->bodies[b]);
    }
    fprintf(f, "# vtk DataFile Version 3.0\ncontact.h surface\nASCII\nDATASET POLYDATA\nPOINTS %d double\n", vertices);
    for (b = 0; b < m->n_bodies; b++)
        for (i = 0; i < m->bodies[b].n_vertices; i++)
            fprintf(f, "%.17g %.17g %.17g\n", m->bodies[b].positions[3 * i], m->bodies[b].positions[3 * i + 1],
                    m->bodies[b].positions[3 * i + 2]);
    out_vtk_cells(f, m, "VERTICES", 1);
    out_vtk_cells(f, m, "LINES", 2);
    out_vtk_cells(f, m, "POLYGONS", 3);
    /* the number of the body, per cell, in the order of the sections, and per vertex */
    fprintf(f, "CELL_DATA %d\nSCALARS body int 1\nLOOKUP_TABLE default\n", cells);
    for (b = 0; b < m->n_bodies; b++)
        for (i = 0; i < out_points(&m->bodies[b]); i++)
            fprintf(f, "%d\n", b);
    for (b = 0; b < m->n_bodies; b++)
        for (i = 0; i < m->bodies[b].n_segments; i++)
            fprintf(f, "%d\n", b);
    for (b = 0; b < m->n_bodies; b++)
        for (i = 0; i < m->bodies[b].n_triangles; i++)
            fprintf(f, "%d\n", b);
    fprintf(f, "POINT_DATA %d\nSCALARS body int 1\nLOOKUP_TABLE default\n", vertices);
    for (b = 0; b < m->n_bodies; b++)
        for (i = 0; i < m->bodies[b].n_vertices; i++)
            fprintf(f, "%d\n", b);
}

void out_series_open(out_series *s, const char *directory, out_frames kind)
{
    memset(s, 0, sizeof *s);
    s->directory = directory;
    s->kind = kind;
}

int out_frame(out_series *s, const sim *m, int number, double time)
{
    char name[64];
    out_file o;
    if (s->kind == OUT_FRAMES_NONE)
        return 1;
    s->numbers = (int *)cli_grow(s->numbers, (size_t)s->n + 1, sizeof *s->numbers);
    s->times = (double *)cli_grow(s->times, (size_t)s->n + 1, sizeof *s->times);
    s->numbers[s->n] = number, s->times[s->n++] = time;
    if (s->kind == OUT_FRAMES_GLTF) {
        if (!s->animation)
            s->animation = out_animation_create(m);
        out_animation_add(s->animation, m, time);
        return 1;
    }
    snprintf(name, sizeof name, "frame_%05d%s", number, out_suffixes[s->kind]);
    if (!out_open(&o, s->directory, name))
        return 0;
    if (s->kind == OUT_FRAMES_OBJ)
        out_obj(o.f, m);
    else if (s->kind == OUT_FRAMES_VTK)
        out_vtk(o.f, m);
    else
        out_vtu(o.f, m, time);
    return out_close(&o);
}

int out_series_close(out_series *s)
{
    const char *why = NULL;
    out_file o;
    if (!out_whole[s->kind] || s->n == 0)
        return 1;
    if (!out_open(&o, s->directory, out_whole[s->kind]))
        return 0;
    if (s->kind == OUT_FRAMES_VTU)
        out_pvd(o.f, s->numbers, s->times, s->n);
    else
        why = out_animation_glb(s->animation, o.f);
    if (!why)
        return out_close(&o);
    cli_fail("%s: %s", o.path, why);
    out_discard(&o);
    return 0;
}

void out_series_free(out_series *s)
{
    out_animation_free(s->animation);
    free(s->numbers);
    free(s->times);
    memset(s, 0, sizeof *s);
}

void out_json_number(FILE *f, double x, int digits)
{
    if (x - x != 0)
        fputs("null", f);
    else
        fprintf(f, "%.*g", digits, x);
}

void out_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

static void out_number(FILE *f, const char *before, double x)
{
    fputs(before, f);
    out_json_number(f, x, 9);
}

/* closes the object of energies; work done and energy lost in the step [J] */
static void out_account(FILE *f, const ct_step_report *r)
{
    out_number(f, "},\"account\":{\"script\":", r->work_script);
    out_number(f, ",\"pins\":", r->work_pins);
    out_number(f, ",\"joints\":", r->work_joints);
    out_number(f, ",\"recovery\":", r->work_recovery);
    out_number(f, ",\"contact\":", r->loss_contact);
    out_number(f, ",\"damping\":", r->loss_damping);
    fputc('}', f);
}

void out_stats(FILE *f, int step, double t, double dt, const ct_step_report *r, long intersections, double cpu_ms)
{
    fprintf(f, "{\"step\":%d", step);
    out_number(f, ",\"t\":", t);
    out_number(f, ",\"dt\":", dt);
    fprintf(f, ",\"substeps\":%d,\"status\":\"%s\",\"contacts\":%d,\"rows\":%d,\"cmr_rounds\":%d", r->substeps, ct_status_text(r->status),
            r->contacts, r->rows, r->cmr_rounds);
    fprintf(f, ",\"newton_iterations\":%d,\"solver_iterations\":%d,\"solver_sweeps\":%d,\"solver_quick\":%d,\"solver_fallbacks\":%d",
            r->newton_iterations, r->solver_iterations, r->solver_sweeps, r->solver_quick, r->solver_fallbacks);
    fprintf(f, ",\"cg_steps\":%d,\"linear_iterations\":%d,\"solves\":%d,\"dropped\":%d", r->cg_steps, r->linear_iterations, r->solves, r->dropped);
    out_number(f, ",\"residual\":", (double)r->residual);
    out_number(f, ",\"min_distance\":", (double)r->min_distance);
    out_number(f, ",\"thickness_kept\":", (double)r->thickness_kept);
    fprintf(f, ",\"too_near\":%d", r->too_near);
    out_number(f, ",\"penetration\":", (double)r->penetration);
    out_number(f, ",\"joint_error\":", (double)r->joint_error);
    if (intersections < 0)
        fputs(",\"intersections\":null", f);
    else
        fprintf(f, ",\"intersections\":%ld", intersections);
    fprintf(f, ",\"zones\":%d,\"frozen\":%d", r->zones, r->frozen);
    out_number(f, ",\"momentum_lost\":", (double)r->momentum_lost);
    out_number(f, ",\"energy_gained\":", r->energy_gained);
    out_number(f, ",\"energy\":{\"kinetic\":", r->energy_kinetic);
    out_number(f, ",\"elastic\":", r->energy_elastic);
    out_number(f, ",\"gravity\":", r->energy_gravity);
    out_number(f, ",\"contact\":", r->energy_contact);
    out_account(f, r);
    out_number(f, ",\"advanced\":", r->advanced);
    fprintf(f, ",\"updates\":%lld,\"windows\":%d,\"rollbacks\":%d", (long long)r->updates, r->windows, r->rollbacks);
    out_number(f, ",\"center_of_mass\":[", r->center_of_mass[0]);
    out_number(f, ",", r->center_of_mass[1]);
    out_number(f, ",", r->center_of_mass[2]);
    out_number(f, "],\"work\":", r->work);
    out_number(f, ",\"ms\":{\"prepare\":", r->ms_prepare);
    out_number(f, ",\"assemble\":", r->ms_assemble);
    out_number(f, ",\"unconstrained\":", r->ms_unconstrained);
    out_number(f, ",\"detect\":", r->ms_detect);
    out_number(f, ",\"solve\":", r->ms_solve);
    out_number(f, ",\"finish\":", r->ms_finish);
    out_number(f, ",\"total\":", r->ms_total);
    out_number(f, "},\"cpu_ms\":", cpu_ms);
    fputs("}\n", f);
}

/* the members of a JSON object as a line of values, or of their names */
static void out_csv_line(FILE *f, const cJSON *o, const char *prefix, int names, int *n)
{
    const cJSON *v;
    char name[200];
    cJSON_ArrayForEach(v, o)
    {
        if (v->string)
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", v->string);
        else
            snprintf(name, sizeof name, "%s.%c", prefix, "xyz"[v == o->child ? 0 : v == o->child->next ? 1 : 2]);
        if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
            out_csv_line(f, v, name, names, n);
            continue;
        }
        fputs((*n)++ ? "," : "", f);
        if (names)
            fputs(name, f);
        else if (cJSON_IsString(v))
            fputs(v->valuestring, f);
        else if (cJSON_IsNumber(v) || cJSON_IsBool(v))
            fprintf(f, "%.9g", cJSON_IsNumber(v) ? v->valuedouble : cJSON_IsTrue(v) ? 1 : 0);
    }
}

void out_csv_row(FILE *f, const char *line, int names)
{
    cJSON *o = cJSON_Parse(line);
    int n = 0;
    out_csv_line(f, o, "", names, &n);
    fputc('\n', f);
    cJSON_Delete(o);
}

void out_csv(FILE *f, const char *line, int first)
{
    if (first)
        out_csv_row(f, line, 1);
    out_csv_row(f, line, 0);
}

static void out_summary_counts(FILE *f, const out_totals *t)
{
    int i;
    fprintf(f, ",\n \"worst_status\":\"%s\",\"status\":{", ct_status_text(t->worst));
    for (i = 0; i < CT_STATUS_COUNT_; i++)
        fprintf(f, "%s\"%s\":%d", i ? "," : "", ct_status_text((ct_status)i), t->status_count[i]);
    fprintf(f, "},\n \"zones\":%ld,\"zone_steps\":%d", t->zones, t->zone_steps);
    out_number(f, ",\"zone_percent\":", t->steps ? 100.0 * t->zone_steps / t->steps : 0);
    fprintf(f, ",\"frozen\":%ld", t->frozen);
    out_number(f, ",\"frozen_fraction\":", t->frozen_fraction);
    out_number(f, ",\"momentum_lost\":", t->momentum_lost);
}

void out_summary(FILE *f, const out_totals *t)
{
    const ct_library_info *info = ct_library_info_get();
    fputs("{\"name\":", f);
    out_json_string(f, t->scene_name);
    fputs(",\"scene\":", f);
    out_json_string(f, t->scene_file);
    fprintf(f, ",\"steps\":%d", t->steps);
    out_number(f, ",\"dt\":", t->dt);
    out_number(f, ",\"time\":", t->time);
    fprintf(f, ",\n \"threads\":%d", t->threads);
    fprintf(f, ",\n \"stepper\":\"%s\",\"solver\":\"%s\",\"real_bits\":%d,\"simd\":\"%s\",\"version\":\"%d.%d.%d\"", t->stepper, t->solver,
            info->real_bits, info->simd, info->version_major, info->version_minor, info->version_patch);
    out_number(f, ",\n \"median_cpu_ms\":", t->median_cpu_ms);
    out_number(f, ",\"max_cpu_ms\":", t->max_cpu_ms);
    out_number(f, ",\"cpu_seconds\":", t->cpu_seconds);
    out_number(f, ",\"wall_seconds\":", t->wall_seconds);
    if (t->checked)
        fprintf(f, ",\n \"intersections\":%ld", t->intersections);
    else
        fputs(",\n \"intersections\":null", f);
    fprintf(f, ",\"start_intersections\":%d", t->start_intersections);
    out_number(f, ",\"min_distance\":", t->min_distance);
    out_number(f, ",\"penetration\":", t->penetration);
    out_number(f, ",\"joint_error\":", t->joint_error);
    fprintf(f, ",\"contacts\":%d,\"max_contacts\":%d,\"substeps\":%ld,\"solver_iterations\":%ld,\"solver_sweeps\":%ld", t->contacts,
            t->max_contacts, t->substeps, t->solver_iterations, t->solver_sweeps);
    fprintf(f, ",\"solver_fallbacks\":%ld", t->solver_fallbacks);
    fprintf(f, ",\"cg_steps\":%ld,\"solves\":%ld,\"dropped\":%ld", t->cg_steps, t->solves, t->dropped);
    out_number(f, ",\"solve_seconds\":", t->solve_seconds);
    out_summary_counts(f, t);
    out_number(f, ",\n \"center_of_mass\":[", t->center_of_mass[0]);
    out_number(f, ",", t->center_of_mass[1]);
    out_number(f, ",", t->center_of_mass[2]);
    fprintf(f, "],\"nodes\":%.0f,\"tets\":%.0f", t->nodes, t->tets);
    fprintf(f, ",\"hash\":\"%08lx%08lx\",\"interrupted\":%s}\n", (unsigned long)(t->hash >> 32), (unsigned long)(t->hash & 0xffffffffu),
            t->interrupted ? "true" : "false");
}
