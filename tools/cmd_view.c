/* cmd_view.c -- contact view: a window in which a scene runs, or stored frames replay. The mouse pulls bodies by a drag (ct_joint_kind) at the point
   that a ray through the pixel hits; its stiffness follows the body's mass. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include <stdlib.h>
#include <string.h>

#ifdef CONTACT_VIEW
#include "output.h"
#include "play.h"
#include "raster.h"
#include "render.h"
#include "view_gl.h"
#include <SDL2/SDL.h>
#include <math.h>

#define VIEW_PULL 30.0    /* [1/s] frequency of the drag: a body hangs g / 30^2 = 1 cm below it */
#define VIEW_FORCE 50.0   /* weights that it pulls with at most */
#define VIEW_BEHIND 0.1   /* [s] of steps that are made up for where they take longer than they last */

typedef struct view {
    play play;
    render_options options;
    const char *script_path;
    FILE *script;
    int script_line, wait; /* frames that the script waits for */
    view_gl *gl;
    look look;
    look_camera camera;
    overlay over;
    int w, h, paused, contacts, text, help, quit, failed;
    int turning, panning, x, y; /* the mouse */
    ct_joint_id hand;
    int held;            /* body in the hand, -1 */
    ct_hit hit;          /* where it was taken */
    double reach;        /* [m] its distance along the view */
    double target[3];
    char note[300];      /* what could not be done */
    double ms, seconds, due; /* of the last step; of the last frame; [s] to step */
} view;

static const char view_keys[] = "space  run, pause          left mouse    pull a body, or turn\n"
                                ".      one step            right mouse   turn\n"
                                ",      one frame back      middle mouse  move the camera (or shift)\n"
                                "r      from the start      wheel         nearer, farther\n"
                                "c      colours             f             the camera as at first\n"
                                "e      edges               i             contacts and impulses\n"
                                "t      text                h             this help\n"
                                "q      quit";

static double view_now(void) { return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency(); }

static void view_note(view *v, const char *text) { snprintf(v->note, sizeof v->note, "%s", text); }

/* ---- camera ---- */

static void view_reset_camera(view *v) { look_view(&v->look, &v->play.sim, 1, &v->camera); }

/* the point at a distance along the view that a pixel shows */
static void view_point(const view *v, double x, double y, double distance, double out[3])
{
    raster_camera c;
    double d[3];
    int k;
    raster_look(&c, &v->camera, v->w, v->h);
    raster_ray(&c, x, y, d);
    for (k = 0; k < 3; k++)
        out[k] = c.eye[k] + distance * d[k];
}

/* the pixel of a point; 0: it is behind the eye */
static int view_pixel(const view *v, const double p[3], double out[2])
{
    raster_camera c;
    double d[3] = {0, 0, 0};
    int k;
    raster_look(&c, &v->camera, v->w, v->h);
    for (k = 0; k < 3; k++) {
        d[0] += (p[k] - c.eye[k]) * c.right[k];
        d[1] += (p[k] - c.eye[k]) * c.up[k];
        d[2] += (p[k] - c.eye[k]) * c.forward[k];
    }
    out[0] = c.cx + c.focal * d[0] / d[2], out[1] = c.cy - c.focal * d[1] / d[2];
    return d[2] > 0;
}

static void view_turn(view *v, double dx, double dy)
{
    double d[3], r = 0, yaw, pitch;
    int k;
    for (k = 0; k < 3; k++)
        d[k] = v->camera.eye[k] - v->camera.target[k], r += d[k] * d[k];
    r = sqrt(r);
    yaw = atan2(d[0], d[2]) - 0.008 * dx;
    pitch = asin(d[1] / r) + 0.008 * dy;
    pitch = fmax(-1.55, fmin(1.55, pitch));
    v->camera.eye[0] = v->camera.target[0] + r * cos(pitch) * sin(yaw);
    v->camera.eye[1] = v->camera.target[1] + r * sin(pitch);
    v->camera.eye[2] = v->camera.target[2] + r * cos(pitch) * cos(yaw);
}

/* what is at the target follows the mouse */
static void view_pan(view *v, double dx, double dy)
{
    raster_camera c;
    double r = 0;
    int k;
    raster_look(&c, &v->camera, v->w, v->h);
    for (k = 0; k < 3; k++)
        r += (v->camera.target[k] - v->camera.eye[k]) * c.forward[k];
    for (k = 0; k < 3; k++) {
        double move = r / c.focal * (dy * c.up[k] - dx * c.right[k]);
        v->camera.eye[k] += move, v->camera.target[k] += move;
    }
}

static void view_zoom(view *v, double factor)
{
    int k;
    for (k = 0; k < 3; k++)
        v->camera.eye[k] = v->camera.target[k] + factor * (v->camera.eye[k] - v->camera.target[k]);
}

/* ---- the hand ---- */

/* the point of the surface that is held */
static void view_held(const view *v, double out[3])
{
    const sim_body *b = &v->play.sim.bodies[v->held];
    int i, k;
    for (k = 0; k < 3; k++)
        out[k] = 0;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3 && v->hit.vertices[i] >= 0; k++)
            out[k] += (double)v->hit.weights[i] * b->positions[3 * v->hit.vertices[i] + k];
}

static void view_release(view *v)
{
    if (v->held >= 0)
        (void)ct_joint_remove(v->play.sim.world, v->hand);
    v->held = -1;
}

static void view_drag(view *v)
{
    ct_real to[3];
    int k;
    view_point(v, v->x, v->y, v->reach, v->target);
    for (k = 0; k < 3; k++)
        to[k] = (ct_real)v->target[k];
    if (ct_joint_set_target(v->play.sim.world, v->hand, to) != CT_OK)
        view_note(v, ct_world_error(v->play.sim.world)->text);
}

/* a drag between the point that was hit and the mouse */
static int view_tie(view *v)
{
    ct_world *world = v->play.sim.world;
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_DRAG);
    double mass = (double)ct_body_get_mass(world, v->hit.body);
    int i;
    if (!(mass > 0))
        return 0;
    d.a.body = v->hit.body;
    if (ct_body_node_count(world, v->hit.body))
        for (i = 0; i < 3; i++)
            d.a.vertices[i] = v->hit.vertices[i], d.a.weights[i] = v->hit.weights[i];
    else
        memcpy(d.point, v->hit.point, sizeof d.point);
    if (ct_joint_add(world, &d, &v->hand) != CT_OK) {
        view_note(v, ct_world_error(world)->text);
        return 0;
    }
    if (ct_joint_set_spring(world, v->hand, 0, (ct_real)(VIEW_PULL * VIEW_PULL * mass), (ct_real)(2 * VIEW_PULL * mass)) == CT_OK &&
        ct_joint_set_motor(world, v->hand, 0, (ct_real)(VIEW_FORCE * 9.81 * mass)) == CT_OK)
        return 1;
    view_note(v, ct_world_error(world)->text);
    (void)ct_joint_remove(world, v->hand);
    return 0;
}

/* takes what is at the mouse; 0: nothing that can move */
static int view_grab(view *v)
{
    ct_world *world = v->play.sim.world;
    ct_real from[3], way[3];
    double direction[3];
    raster_camera c;
    int k;
    if (!v->play.is_live)
        return 0;
    raster_look(&c, &v->camera, v->w, v->h);
    raster_ray(&c, v->x, v->y, direction);
    for (k = 0; k < 3; k++)
        from[k] = (ct_real)v->camera.eye[k], way[k] = (ct_real)(1000 * v->look.radius * direction[k]);
    if (ct_world_update_queries(world) != CT_OK || ct_world_cast_ray(world, from, way, NULL, &v->hit, NULL) != CT_OK || v->hit.vertices[0] < 0 ||
        !view_tie(v))
        return 0;
    v->held = sim_find(&v->play.sim, v->hit.body);
    for (v->reach = 0, k = 0; k < 3; k++)
        v->reach += ((double)v->hit.point[k] - c.eye[k]) * c.forward[k];
    view_drag(v);
    return 1;
}

/* ---- steps ---- */

static int view_step(view *v)
{
    double before = view_now();
    int r = play_step(&v->play);
    v->ms = 1000 * (view_now() - before);
    if (r <= 0)
        v->paused = 1;
    if (r < 0)
        v->failed = v->quit = 1;
    return r > 0;
}

static void view_restart(view *v)
{
    view_release(v);
    v->look.range = v->look.has_range ? v->look.range : 0;
    v->note[0] = '\0';
    if (!play_reset(&v->play))
        v->failed = v->quit = 1;
}

/* as many steps as time has passed; a script has one for each frame */
static void view_advance(view *v)
{
    double start = view_now();
    if (v->paused)
        return;
    if (v->script) {
        view_step(v);
        return;
    }
    v->due = fmin(v->due + v->seconds, VIEW_BEHIND);
    while (!v->paused && !v->quit && v->due > 0 && view_now() - start < 1 / 30.0) {
        double before = v->play.time;
        if (!view_step(v))
            return;
        v->due -= v->play.time - before;
    }
}

/* ---- input ---- */

static void view_next_colour(view *v)
{
    do
        v->look.colour = (look_colour)((v->look.colour + 1) % LOOK_COLOUR_COUNT);
    while (!v->play.is_live && v->look.colour != LOOK_BODY && v->look.colour != LOOK_VELOCITY);
    v->look.range = v->look.has_range ? v->look.range : 0;
}

static void view_key(view *v, SDL_Keycode key)
{
    int *const switches[] = {&v->paused, &v->options.edges, &v->contacts, &v->text, &v->help};
    static const SDL_Keycode codes[] = {SDLK_SPACE, SDLK_e, SDLK_i, SDLK_t, SDLK_h};
    size_t i;
    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if (key == codes[i])
            *switches[i] = !*switches[i];
    if (key == SDLK_q || key == SDLK_ESCAPE)
        v->quit = 1;
    else if (key == SDLK_r)
        view_restart(v);
    else if (key == SDLK_c)
        view_next_colour(v);
    else if (key == SDLK_f)
        view_reset_camera(v);
    else if (key == SDLK_PERIOD) {
        v->paused = 1;
        view_step(v);
    } else if (key == SDLK_COMMA && !v->play.is_live) {
        v->paused = 1;
        if (v->play.at > 0 && !play_seek(&v->play, v->play.at - 1))
            v->failed = v->quit = 1;
    }
}

static void view_event(view *v, const SDL_Event *e)
{
    if (e->type == SDL_QUIT)
        v->quit = 1;
    else if (e->type == SDL_KEYDOWN)
        view_key(v, e->key.keysym.sym);
    else if (e->type == SDL_MOUSEBUTTONDOWN) {
        v->x = e->button.x, v->y = e->button.y;
        v->panning = e->button.button == SDL_BUTTON_MIDDLE || (SDL_GetModState() & KMOD_SHIFT);
        v->turning = !v->panning && (e->button.button != SDL_BUTTON_LEFT || !view_grab(v));
    } else if (e->type == SDL_MOUSEBUTTONUP) {
        v->turning = v->panning = 0;
        view_release(v);
    } else if (e->type == SDL_MOUSEMOTION) {
        double dx = e->motion.x - v->x, dy = e->motion.y - v->y;
        v->x = e->motion.x, v->y = e->motion.y;
        if (v->panning)
            view_pan(v, dx, dy);
        else if (v->turning)
            view_turn(v, dx, dy);
        else if (v->held >= 0)
            view_drag(v);
    } else if (e->type == SDL_MOUSEWHEEL) {
        if (v->held >= 0) {
            v->reach *= pow(1.1, e->wheel.y);
            view_drag(v);
        } else
            view_zoom(v, pow(0.9, e->wheel.y));
    }
}

/* ---- what lies over the picture ---- */

static const float view_white[4] = {1, 1, 1, 0.95f}, view_shade[4] = {0.08f, 0.1f, 0.14f, 0.62f};

static void view_panel(view *v, double x, double y, const char *text)
{
    double size[2];
    overlay_text_size(text, 2, size);
    overlay_box(&v->over, x - 8, y - 8, x + size[0] + 8, y + size[1] + 2, view_shade);
    overlay_text(&v->over, x, y, 2, view_white, text);
}

/* contacts as lines along the impulse that b gives to a, the longest of a tenth of the picture's width; what slides is orange */
static double view_contacts(view *v)
{
    static const float stick[4] = {0.1f, 0.75f, 1, 0.95f}, slide[4] = {1, 0.55f, 0.1f, 0.95f};
    const ct_contact *list = NULL;
    double most = 0, sum = 0, j[3], a[2], b[2], end[3], p[3];
    int n = 0, i, k, pass;
    if (!v->play.is_live || ct_world_contacts(v->play.sim.world, &list, &n) != CT_OK)
        return 0;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < n; i++) {
            const ct_contact *c = &list[i];
            double size = 0;
            for (k = 0; k < 3; k++) {
                j[k] = (double)(c->impulse_normal * c->normal[k] + c->impulse_tangent[0] * c->tangent[0][k] +
                                c->impulse_tangent[1] * c->tangent[1][k]);
                size += j[k] * j[k];
            }
            most = pass ? most : fmax(most, sqrt(size));
            sum += pass ? 0 : (double)c->impulse_normal;
            for (k = 0; k < 3; k++) {
                p[k] = (double)c->point[k];
                end[k] = p[k] + (most > 0 ? 0.25 * v->look.radius / most * j[k] : 0);
            }
            if (!pass || !v->contacts || !view_pixel(v, p, a) || !view_pixel(v, end, b))
                continue;
            overlay_line(&v->over, a, b, 2, c->sticking ? stick : slide);
            overlay_box(&v->over, a[0] - 2, a[1] - 2, a[0] + 2, a[1] + 2, c->sticking ? stick : slide);
        }
    return sum;
}

static void view_hand(view *v)
{
    double p[3], a[2], b[2];
    if (v->held < 0)
        return;
    view_held(v, p);
    if (!view_pixel(v, p, a) || !view_pixel(v, v->target, b))
        return;
    overlay_line(&v->over, a, b, 3, view_white);
    overlay_box(&v->over, a[0] - 4, a[1] - 4, a[0] + 4, a[1] + 4, view_white);
}

/* the scale of colours, at the bottom */
static void view_legend(view *v)
{
    const char *unit = look_units[v->look.colour];
    double x = v->w - 252, y = v->h - 46, size[2];
    char text[80];
    int i;
    if (!*unit || !v->look.n_measured) {
        if (*unit)
            view_panel(v, x, y + 14, "no body has it");
        return;
    }
    overlay_box(&v->over, x - 8, y - 8, x + 244, y + 40, view_shade);
    for (i = 0; i < 118; i++) {
        float c[4];
        int k;
        look_scale((i + 0.5) / 118, c);
        for (k = 0; k < 3; k++)
            c[k] = powf(c[k], 1 / 2.2f);
        c[3] = 1;
        overlay_box(&v->over, x + 2 * i, y, x + 2 * i + 2, y + 12, c);
    }
    snprintf(text, sizeof text, "%.3g %s", v->look.range, unit);
    overlay_text_size(text, 2, size);
    overlay_text(&v->over, x, y + 18, 2, view_white, look_colour_names[v->look.colour]);
    overlay_text(&v->over, x + 236 - size[0], y + 18, 2, view_white, text);
}

static void view_report(view *v, double pushed)
{
    const play *p = &v->play;
    const ct_step_report *r = &p->report;
    char text[900];
    int n = snprintf(text, sizeof text, "%.100s%s\nstep %ld, %.3f s", p->has_scene ? p->scene.name : p->path, v->paused ? ", paused" : "", p->step,
                     p->time);
    if (p->is_live && p->step > 0) {
        n += snprintf(text + n, sizeof text - (size_t)n, "\n%s, %d substep%s\n%d contacts, %.3g N s\n", ct_status_text(r->status), r->substeps,
                      r->substeps == 1 ? "" : "s", r->contacts, pushed);
        n += snprintf(text + n, sizeof text - (size_t)n, "%d iterations, residual %.1e\ndistance %.3g mm\n", r->solver_iterations,
                      (double)r->residual, 1000 * (double)r->min_distance);
        n += snprintf(text + n, sizeof text - (size_t)n, "kinetic %9.3g J\nelastic %9.3g J\ngravity %9.3g J\ncontact %9.3g J\ngained  %9.3g J\n",
                      r->energy_kinetic, r->energy_elastic, r->energy_gravity, r->energy_contact, r->energy_gained);
        n += snprintf(text + n, sizeof text - (size_t)n, "%.2f ms a step", v->ms);
        if (!v->paused && v->seconds > 0)
            n += snprintf(text + n, sizeof text - (size_t)n, ", %.0f pictures a second", 1 / v->seconds);
    } else if (!p->is_live)
        n += snprintf(text + n, sizeof text - (size_t)n, "\nframe %d of %d", p->at + 1, p->n_files);
    if (v->look.colour == LOOK_ISLAND)
        n += snprintf(text + n, sizeof text - (size_t)n, "\ncolours: islands");
    snprintf(text + n, sizeof text - (size_t)n, "%s%s\nh: keys", *v->note ? "\n" : "", v->note);
    view_panel(v, 16, 16, text);
}

static void view_draw(view *v)
{
    look_camera unused;
    double pushed, size[2];
    view_gl_size(v->gl, &v->w, &v->h);
    look_view(&v->look, &v->play.sim, 0, &unused);
    look_build(&v->look, &v->play.sim, v->camera.eye);
    overlay_clear(&v->over);
    pushed = view_contacts(v);
    view_hand(v);
    if (v->text) {
        view_report(v, pushed);
        view_legend(v);
    }
    if (v->help) {
        overlay_text_size(view_keys, 2, size);
        view_panel(v, 0.5 * (v->w - size[0]), 0.5 * (v->h - size[1]), view_keys);
    }
    view_gl_draw(v->gl, &v->look, &v->camera, v->options.edges, &v->over);
}

/* ---- a script: the same events as from a hand ---- */

static int view_shot(view *v, const char *path)
{
    unsigned char *picture = (unsigned char *)cli_alloc((size_t)v->w * (size_t)v->h, 3);
    int ok;
    view_draw(v);
    view_gl_read(v->gl, picture);
    ok = render_png(path, v->w, v->h, picture);
    free(picture);
    return ok;
}

static void view_tell(const view *v)
{
    double p[3] = {0, 0, 0};
    if (v->held >= 0)
        view_held(v, p);
    printf("{\"step\":%ld,\"time\":%.9g,\"paused\":%d,\"held\":", v->play.step, v->play.time, v->paused);
    if (v->held >= 0) {
        out_json_string(stdout, v->play.sim.bodies[v->held].name);
        printf(",\"at\":[%.9g,%.9g,%.9g],\"target\":[%.9g,%.9g,%.9g]", p[0], p[1], p[2], v->target[0], v->target[1], v->target[2]);
    } else
        printf("null");
    printf(",\"eye\":[%.9g,%.9g,%.9g],\"camera_target\":[%.9g,%.9g,%.9g]}\n", v->camera.eye[0], v->camera.eye[1], v->camera.eye[2],
           v->camera.target[0], v->camera.target[1], v->camera.target[2]);
}

/* n: how many of the numbers x, y and button the line has; 0: it is no command of the mouse */
static int view_mouse_command(const char *word, int n, int x, int y, int button)
{
    SDL_Event e;
    memset(&e, 0, sizeof e);
    if (n < 1 || (n < 2 && strcmp(word, "wheel") != 0))
        return 0;
    if (!strcmp(word, "move"))
        e.type = SDL_MOUSEMOTION, e.motion.x = x, e.motion.y = y;
    else if (!strcmp(word, "press") || !strcmp(word, "release")) {
        e.type = *word == 'p' ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
        e.button.x = x, e.button.y = y;
        e.button.button = (Uint8)(button ? button : SDL_BUTTON_LEFT);
    } else if (!strcmp(word, "wheel"))
        e.type = SDL_MOUSEWHEEL, e.wheel.y = x;
    else
        return 0;
    SDL_PushEvent(&e);
    return 1;
}

/* 0 after a message */
static int view_command(view *v, const char *line)
{
    char word[32] = "", text[900] = "";
    int x = 0, y = 0, button = 0, n = sscanf(line, "%31s %899s", word, text), numbers = sscanf(line, "%*s %d %d %d", &x, &y, &button);
    SDL_Event e;
    memset(&e, 0, sizeof e);
    if (n < 1 || *word == '#')
        return 1;
    if (!strcmp(word, "tell"))
        view_tell(v);
    else if (!strcmp(word, "frames") && numbers == 1 && x >= 0)
        v->wait = x;
    else if (!strcmp(word, "shot") && n == 2)
        return view_shot(v, text);
    else if (!strcmp(word, "key") && n == 2 && SDL_GetKeyFromName(text) != SDLK_UNKNOWN) {
        e.type = SDL_KEYDOWN, e.key.keysym.sym = SDL_GetKeyFromName(text);
        SDL_PushEvent(&e);
    } else if (!view_mouse_command(word, numbers, x, y, button)) {
        cli_fail("view: %s: line %d: expected key K, press X Y [BUTTON], move X Y, release X Y, wheel N, frames N, shot FILE.png or tell, "
                 "found '%.60s'",
                 v->script_path, v->script_line, line);
        return 0;
    }
    return 1;
}

/* the next line of the script */
static void view_follow(view *v)
{
    char line[1000];
    if (!fgets(line, sizeof line, v->script)) {
        v->quit = 1;
        return;
    }
    line[strcspn(line, "\r\n")] = '\0';
    v->script_line++;
    if (!view_command(v, line))
        v->quit = v->failed = 1;
}

/* ---- all of it ---- */

static void view_loop(view *v)
{
    double last = view_now();
    SDL_Event e;
    while (!v->quit) {
        double now;
        /* nothing moves: the next picture is that of the next event */
        if (v->paused && !v->script && v->seconds > 0 && !SDL_WaitEventTimeout(NULL, 100))
            continue;
        if (v->script && v->wait == 0)
            view_follow(v);
        while (SDL_PollEvent(&e))
            view_event(v, &e);
        if (v->quit || (v->script && v->wait == 0))
            continue;
        v->wait -= v->script != NULL;
        now = view_now();
        v->seconds = now - last, last = now;
        view_advance(v);
        view_draw(v);
        view_gl_show(v->gl);
    }
}

static int view_run(view *v)
{
    if (v->script_path && !(v->script = fopen(v->script_path, "r")))
        return cli_no_file(v->script_path, "a script of contact view (contact view --help)");
    if (!play_open(&v->play))
        return CLI_BAD_INPUT;
    v->w = v->options.w ? v->options.w : 1280, v->h = v->options.h ? v->options.h : 720;
    if (!v->play.is_live && v->options.colour != LOOK_BODY && v->options.colour != LOOK_VELOCITY)
        return cli_fail("view: --colour %s: stored frames have body and velocity; a scene has all", look_colour_names[v->options.colour]);
    if (!(v->gl = view_gl_create(v->play.has_scene ? v->play.scene.name : v->play.path, v->w, v->h)))
        return CLI_FAILED;
    look_init(&v->look, v->play.has_scene ? &v->play.scene : NULL, &v->play.sim, v->options.colour, v->options.range);
    view_reset_camera(v);
    view_loop(v);
    return v->failed ? CLI_FAILED : CLI_DONE;
}

static int view_parse(view *v, int argc, char **argv)
{
    play *p = &v->play;
    const char *value = NULL;
    long n = 1;
    int i, r;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--paused"))
            v->paused = 1;
        else if ((r = cli_option(argc, argv, &i, "--set", &value)) > 0)
            p->sets[p->n_sets++] = value;
        else if (r || (r = render_option(&v->options, argc, argv, &i)) || (r = cli_option(argc, argv, &i, "--stepper", &p->options.stepper)) ||
                 (r = cli_option(argc, argv, &i, "--solver", &p->options.solver)) ||
                 (r = cli_option(argc, argv, &i, "--script", &v->script_path))) {
            if (r < 0)
                return 0;
        } else if ((r = cli_option(argc, argv, &i, "--threads", &value)) != 0) {
            if (r < 0 || !cli_integer(value, 1, 256, &n))
                return r > 0 ? cli_fail("view: --threads: expected a whole number from 1 to 256, found '%s'", value), 0 : 0;
        } else if (argv[i][0] == '-')
            return cli_unknown_option("view", argv[i]), 0;
        else if (p->path)
            return cli_fail("view: expected one scene, folder or surface, found '%s' and '%s'", p->path, argv[i]), 0;
        else
            p->path = argv[i];
    }
    p->options.threads = (int)n;
    if (!p->path)
        cli_fail("view: expected SCENE.json, DIR of a stored run, or a surface");
    return p->path != NULL;
}

int cmd_view(int argc, char **argv)
{
    view *v = (view *)cli_alloc(1, sizeof *v);
    int code = CLI_BAD_INPUT;
    v->play.sets = (const char **)cli_alloc((size_t)argc, sizeof *v->play.sets);
    v->held = -1;
    v->text = v->contacts = 1;
    if (view_parse(v, argc, argv))
        code = view_run(v);
    if (v->gl)
        view_gl_free(v->gl);
    if (v->script)
        fclose(v->script);
    look_free(&v->look);
    overlay_free(&v->over);
    play_close(&v->play);
    free((void *)v->play.sets);
    free(v);
    return code;
}
#else
#include <unistd.h>

/* the viewer is the program beside this one that has its name and _view */
int cmd_view(int argc, char **argv)
{
    char path[1024], **args = (char **)cli_alloc((size_t)argc + 2, sizeof *args);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 8);
    int i;
    strcpy(path + (n > 0 ? n : 0), "_view");
    for (i = 0; i < argc; i++)
        args[i + 1] = argv[i];
    args[0] = path;
    if (n > 0)
        execv(path, args);
    free(args);
    return cli_fail("view: %s is not there: apt-get install libsdl2-dev libgl-dev, then make; contact render draws without a window", path);
}
#endif
