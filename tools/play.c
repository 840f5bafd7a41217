/* play.c -- scenes that run, and frames that are stored. A folder of `contact run --out` names its scene in summary.json: the bodies are made from
   that, and each frame gives their positions. Without it, and for other files, the connected parts of the surface are the bodies. */
#define _POSIX_C_SOURCE 200809L
#include "play.h"
#include "cli.h"
#include "inside.h"
#include "mesh_in.h"
#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the list of frames ---- */

/* 1 for the name of a file that begins with stem and ends with end; hidden ones are none */
static int play_is_named(const char *name, const char *stem, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return *name != '.' && !strncmp(name, stem, strlen(stem)) && n > m && !strcmp(name + n - m, end);
}

static void play_add(play *p, const char *directory, const char *name)
{
    char *path = (char *)cli_alloc(strlen(directory) + strlen(name) + 2, 1);
    sprintf(path, "%s%s%s", directory, *directory ? "/" : "", name);
    p->files = (char **)cli_grow(p->files, (size_t)p->n_files + 1, sizeof *p->files);
    p->files[p->n_files++] = path;
}

/* the frames in a folder, of the first kind that it has; or the file itself */
static int play_find(play *p)
{
    static const char *const kinds[][2] = {{"frame_", ".obj"}, {"frame_", ".vtu"}, {"frame_", ".vtk"}, {"", ".obj"}};
    const struct dirent *e;
    DIR *d = opendir(p->path);
    size_t i;
    if (!d)
        play_add(p, "", p->path);
    for (i = 0; i < sizeof kinds / sizeof *kinds && p->n_files == 0; i++) {
        rewinddir(d);
        while ((e = readdir(d)) != NULL)
            if (play_is_named(e->d_name, kinds[i][0], kinds[i][1]))
                play_add(p, p->path, e->d_name);
    }
    if (d)
        closedir(d);
    if (p->n_files == 0)
        cli_fail("%s: no frame is in this folder (frame_*.obj, .vtu or .vtk of contact run --out DIR, or *.obj)", p->path);
    else
        qsort(p->files, (size_t)p->n_files, sizeof *p->files, sim_compare_names);
    return p->n_files > 0;
}

long play_number(const play *p, int frame)
{
    const char *name = strrchr(p->files[frame], '/');
    name = name ? name + 1 : p->files[frame];
    return strncmp(name, "frame_", 6) || !isdigit((unsigned char)name[6]) ? frame : strtol(name + 6, NULL, 10);
}

static int play_read(const play *p, int frame, ct_mesh *mesh)
{
    ct_error_info e;
    char text[320];
    ct_code code;
    memset(mesh, 0, sizeof *mesh);
    memset(&e, 0, sizeof e);
    if (access(p->files[frame], R_OK) != 0) {
        cli_no_file(p->files[frame], "a scene, a folder of frames, or a surface");
        return 0;
    }
    code = cli_mesh_read(p->files[frame], mesh, &e);
    if (code != CT_OK)
        cli_fail("%s: %s", p->files[frame], cli_error_text(code, &e, text, sizeof text));
    return code == CT_OK;
}

/* ---- bodies of a surface: its connected parts ---- */

static void play_join(int *parent, const int32_t *list, int n, int per)
{
    int i;
    for (i = 0; i < n * per; i++)
        parent[sim_root(parent, list[i])] = sim_root(parent, list[i - i % per]);
}

/* 1 for four vertices at one height: the ground of a frame */
static int play_is_floor(const play *p, const ct_mesh *mesh, int body)
{
    const sim_body *b = &p->sim.bodies[body];
    double lo = 1e300, hi = -1e300;
    int i;
    for (i = 0; i < p->n_positions && b->n_vertices == 4; i++)
        if (p->part[i] == body) {
            lo = fmin(lo, (double)mesh->positions[3 * i + 1]);
            hi = fmax(hi, (double)mesh->positions[3 * i + 1]);
        }
    return b->n_vertices == 4 && b->n_triangles == 2 && lo == hi;
}

/* counts, then fills: triangles and segments of each part keep their order, vertices are numbered anew within it */
static void play_part_lists(sim *m, const ct_mesh *mesh, const int *part, const int32_t *own)
{
    int i, k;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < mesh->n_triangles; i++) {
            sim_body *b = &m->bodies[part[mesh->triangles[3 * i]]];
            int at = b->n_triangles++, c;
            for (c = 0; k && c < 3; c++)
                b->triangles[3 * at + c] = own[mesh->triangles[3 * i + c]];
        }
        for (i = 0; i < mesh->n_segments; i++) {
            sim_body *b = &m->bodies[part[mesh->segments[2 * i]]];
            int at = b->n_segments++, c;
            for (c = 0; k && c < 2; c++)
                b->segments[2 * at + c] = own[mesh->segments[2 * i + c]];
        }
        for (i = 0; i < m->n_bodies && !k; i++) {
            sim_body *b = &m->bodies[i];
            b->triangles = (int32_t *)cli_alloc(3 * (size_t)b->n_triangles, sizeof(int32_t));
            b->segments = (int32_t *)cli_alloc(2 * (size_t)b->n_segments, sizeof(int32_t));
            b->positions = (double *)cli_alloc(3 * (size_t)b->n_vertices, sizeof(double));
            b->n_triangles = b->n_segments = 0;
        }
    }
}

/* which body each vertex is of, and its number there; vertices without an element are none, unless there is no element at all */
static void play_parts(play *p, const ct_mesh *mesh)
{
    int n = mesh->n_positions, has = mesh->n_triangles + mesh->n_segments > 0, i;
    int *root = (int *)cli_alloc((size_t)n, sizeof *root), *body = (int *)cli_alloc((size_t)n, sizeof *body);
    char *used = (char *)cli_alloc((size_t)n, 1);
    sim *m = &p->sim;
    for (i = 0; i < n; i++)
        root[i] = has ? i : 0, body[i] = -1, used[i] = !has;
    play_join(root, mesh->triangles, mesh->n_triangles, 3);
    play_join(root, mesh->segments, mesh->n_segments, 2);
    for (i = 0; i < 3 * mesh->n_triangles; i++)
        used[mesh->triangles[i]] = 1;
    for (i = 0; i < 2 * mesh->n_segments; i++)
        used[mesh->segments[i]] = 1;
    for (i = 0; i < n; i++) {
        int r = sim_root(root, i);
        if (used[i] && body[r] < 0) {
            m->bodies = (sim_body *)cli_grow(m->bodies, (size_t)m->n_bodies + 1, sizeof *m->bodies);
            memset(&m->bodies[m->n_bodies], 0, sizeof *m->bodies);
            body[r] = m->n_bodies++;
        }
        p->part[i] = used[i] ? body[r] : -1;
        p->own[i] = used[i] ? m->bodies[body[r]].n_vertices++ : -1;
    }
    free(root), free(body), free(used);
}

/* bodies as a picture needs them: open surfaces are cloth */
static void play_surface(play *p, const ct_mesh *mesh)
{
    ct_mesh surface = *mesh;
    int32_t *own = NULL;
    sim *m = &p->sim;
    double size = 0;
    int i, k;
    if (mesh->n_tets)
        surface.triangles = own = cli_surface(mesh, &surface.n_triangles);
    p->n_positions = mesh->n_positions;
    p->part = (int *)cli_alloc((size_t)mesh->n_positions, sizeof *p->part);
    p->own = (int *)cli_alloc((size_t)mesh->n_positions, sizeof *p->own);
    play_parts(p, &surface);
    play_part_lists(m, &surface, p->part, p->own);
    for (i = 0; i < mesh->n_positions; i++)
        for (k = 0; k < 3; k++)
            size = fmax(size, fabs((double)mesh->positions[3 * i + k] - (double)mesh->positions[k]));
    for (i = 0; i < m->n_bodies; i++) {
        sim_body *b = &m->bodies[i];
        b->name = cli_copy("surface"), b->path = "";
        b->radius = 0.005 * size;
        b->type = b->n_triangles ? (inside_is_closed(b) ? SCENE_SOFT : SCENE_CLOTH) : b->n_segments ? SCENE_ROD : SCENE_POINTS;
    }
    for (i = 0; i < mesh->n_positions; i++) {
        sim_body *b = p->part[i] < 0 ? NULL : &m->bodies[p->part[i]];
        if (b && p->own[i] == 0 && play_is_floor(p, mesh, p->part[i])) {
            b->is_plane = 1, b->type = SCENE_STATIC;
            b->normal[1] = 1, b->offset = (double)mesh->positions[3 * i + 1];
        }
    }
    free(own);
}

/* ---- bodies of the scene that summary.json names ---- */

/* the bodies of the run, whose frames have n_positions: 1, or 0 with the reason in why */
static int play_from_scene(play *p, const char *file, int n_positions, char *why, size_t size)
{
    int i, b, n = 0, is_vtu = !strcmp(p->files[0] + strlen(p->files[0]) - 4, ".vtu");
    snprintf(why, size, "the scene %.200s cannot be read", file);
    if (access(file, R_OK) != 0 || !scene_read(file, p->sets, p->n_sets, &p->scene))
        return 0;
    p->has_scene = 1;
    if (!sim_create(&p->scene, &p->options, &p->sim))
        return 0;
    p->n_positions = n_positions;
    p->part = (int *)cli_alloc((size_t)p->n_positions, sizeof *p->part);
    p->own = (int *)cli_alloc((size_t)p->n_positions, sizeof *p->own);
    for (b = 0; b < p->sim.n_bodies; b++) {
        const sim_body *s = &p->sim.bodies[b];
        /* behind the vertices of a surface in a lattice, this format has its nodes */
        int all = s->n_vertices + (is_vtu && s->is_embedded ? ct_body_node_count(p->sim.world, s->id) : 0);
        for (i = 0; i < all && n < p->n_positions; i++, n++)
            p->part[n] = i < s->n_vertices ? b : -1, p->own[n] = i;
        if (i < all)
            break;
    }
    if (b == p->sim.n_bodies && n == p->n_positions)
        return 1;
    snprintf(why, size, "the scene %.200s has other vertices now than %.200s", file, p->files[0]);
    return 0;
}

static void play_clear(play *p)
{
    sim_free(&p->sim);
    if (p->has_scene)
        scene_free(&p->scene);
    p->has_scene = 0;
    free(p->part), free(p->own);
    p->part = p->own = NULL;
}

/* bodies of the scene that summary.json names, or else the parts of the first frame */
static int play_bodies(play *p, const ct_mesh *first)
{
    char *name = (char *)cli_alloc(strlen(p->path) + sizeof "/summary.json", 1), why[600] = "";
    size_t n;
    unsigned char *text = mesh_in_load(strcat(strcpy(name, p->path), "/summary.json"), &n);
    cJSON *o = text ? cJSON_Parse((const char *)text) : NULL;
    const cJSON *file = cJSON_GetObjectItem(o, "scene"), *dt = cJSON_GetObjectItem(o, "dt");
    int ok = 0;
    p->step_seconds = cJSON_IsNumber(dt) && dt->valuedouble > 0 ? dt->valuedouble : 0.04;
    if (cJSON_IsString(file) && !(ok = play_from_scene(p, file->valuestring, first->n_positions, why, sizeof why)))
        play_clear(p);
    cJSON_Delete(o);
    free(text), free(name);
    if (!ok && p->n_sets) {
        cli_fail("%s: --set %s: %s", p->path, p->sets[0], *why ? why : "no scene belongs to these frames");
        return 0;
    }
    if (!ok && *why)
        fprintf(stderr, "contact: warning: %s: %s; the connected parts of the frames are shown, without its camera\n", p->path, why);
    if (!ok)
        play_surface(p, first);
    return 1;
}

static int play_stored(play *p)
{
    ct_mesh first;
    int i, ok;
    if (!play_read(p, 0, &first))
        return 0;
    ok = play_bodies(p, &first);
    ct_mesh_free(&first);
    for (i = 0; ok && i < p->sim.n_bodies; i++)
        p->sim.bodies[i].velocities = (double *)cli_alloc(3 * (size_t)p->sim.bodies[i].n_vertices, sizeof(double));
    p->at = -1;
    return ok && play_seek(p, 0);
}

int play_seek(play *p, int frame)
{
    ct_mesh mesh;
    double before = p->time, dt;
    int i, k, first = p->at < 0;
    if (frame == p->at)
        return 1;
    if (!play_read(p, frame, &mesh))
        return 0;
    if (mesh.n_positions != p->n_positions) {
        cli_fail("%s: has %d vertices, %s has %d", p->files[frame], mesh.n_positions, p->files[0], p->n_positions);
        ct_mesh_free(&mesh);
        return 0;
    }
    p->at = frame, p->step = play_number(p, frame);
    p->time = (double)p->step * p->step_seconds;
    dt = p->time - before;
    for (i = 0; i < p->n_positions; i++) {
        sim_body *b = p->part[i] < 0 ? NULL : &p->sim.bodies[p->part[i]];
        for (k = 0; b && k < 3; k++) {
            double x = (double)mesh.positions[3 * i + k], *at = &b->positions[3 * p->own[i] + k];
            b->velocities[3 * p->own[i] + k] = first || dt == 0 ? 0 : (x - *at) / dt;
            *at = x;
        }
    }
    ct_mesh_free(&mesh);
    return 1;
}

/* ---- all of it ---- */

static int play_live(play *p)
{
    if (!scene_read(p->path, p->sets, p->n_sets, &p->scene))
        return 0;
    p->has_scene = p->is_live = 1;
    p->step_seconds = p->scene.dt;
    p->time = 0, p->step = 0;
    memset(&p->report, 0, sizeof p->report);
    return sim_create(&p->scene, &p->options, &p->sim);
}

int play_open(play *p)
{
    size_t n = strlen(p->path);
    if (n > 5 && !strcmp(p->path + n - 5, ".json"))
        return play_live(p);
    return play_find(p) && play_stored(p);
}

void play_close(play *p)
{
    int i;
    play_clear(p);
    for (i = 0; i < p->n_files; i++)
        free(p->files[i]);
    free(p->files);
    p->files = NULL, p->n_files = 0;
}

int play_step(play *p)
{
    char text[320];
    ct_code code;
    if (!p->is_live)
        return p->at + 1 >= p->n_files ? 0 : play_seek(p, p->at + 1) ? 1 : -1;
    if (!sim_change(&p->sim, &p->scene, ct_world_time(p->sim.world)))
        return -1;
    code = ct_world_step(p->sim.world, (ct_real)p->scene.dt, &p->report);
    if (code != CT_OK) {
        cli_fail("%s: step %ld: %s", p->path, p->step + 1, cli_error_text(code, ct_world_error(p->sim.world), text, sizeof text));
        return -1;
    }
    p->step++;
    p->time = ct_world_time(p->sim.world);
    sim_refresh(&p->sim);
    return 1;
}

int play_reset(play *p)
{
    if (!p->is_live)
        return play_seek(p, 0);
    play_clear(p);
    return play_live(p);
}
