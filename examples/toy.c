/* cc -O2 toy.c -lm -o toy     (beside contact.h and stb_ds.h) -- a toy engine: what falls is drawn, and hits are heard. Without a screen it writes
   toy_0.ppm and so on, and toy.wav. With SDL2, cc -O2 -DTOY_SDL toy.c -lm $(sdl2-config --cflags --libs) -o toy, a click kicks what is there */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef TOY_SDL
#include <SDL.h>
#endif

enum { W = 320, H = 200, FRAMES = 240, RATE = 22050 };
static uint32_t pixel[W * H];
static float depth[W * H];
static short sound[RATE * (FRAMES / 60 + 1)];
static const double eye[3] = {0, 1.4, 5}, zoom = 260; /* looks along -z */

/* ---- drawing: ct_world_draw calls this with every triangle ---- */

static void triangle(const ct_real a[3], const ct_real b[3], const ct_real c[3], uint32_t color, void *user)
{
    const ct_real *p[3] = {a, b, c};
    double s[3][3], u[3], v[3], light, area;
    (void)user;
    for (int k = 0; k < 3; k++) {
        double away = eye[2] - (double)p[k][2];
        if (away < 0.1)
            return;
        s[k][0] = W / 2 + zoom * ((double)p[k][0] - eye[0]) / away, s[k][1] = H / 2 - zoom * ((double)p[k][1] - eye[1]) / away, s[k][2] = away;
        u[k] = (double)(b[k] - a[k]), v[k] = (double)(c[k] - a[k]);
    }
    light = fabs(0.4 * (u[1] * v[2] - u[2] * v[1]) + 0.8 * (u[2] * v[0] - u[0] * v[2]) + 0.45 * (u[0] * v[1] - u[1] * v[0]));
    light /= 1e-12 + sqrt(pow(u[1] * v[2] - u[2] * v[1], 2) + pow(u[2] * v[0] - u[0] * v[2], 2) + pow(u[0] * v[1] - u[1] * v[0], 2));
    area = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[1][1] - s[0][1]) * (s[2][0] - s[0][0]);
    int x0 = (int)fmax(0, fmin(fmin(s[0][0], s[1][0]), s[2][0])), x1 = (int)fmin(W - 1, fmax(fmax(s[0][0], s[1][0]), s[2][0]));
    int y0 = (int)fmax(0, fmin(fmin(s[0][1], s[1][1]), s[2][1])), y1 = (int)fmin(H - 1, fmax(fmax(s[0][1], s[1][1]), s[2][1]));
    for (int y = y0; y <= y1 && area != 0; y++)
        for (int x = x0; x <= x1; x++) {
            double m = ((s[1][0] - x) * (s[2][1] - y) - (s[1][1] - y) * (s[2][0] - x)) / area;
            double n = ((s[2][0] - x) * (s[0][1] - y) - (s[2][1] - y) * (s[0][0] - x)) / area;
            double z = m * s[0][2] + n * s[1][2] + (1 - m - n) * s[2][2];
            if (m < 0 || n < 0 || m + n > 1 || z >= (double)depth[y * W + x])
                continue;
            depth[y * W + x] = (float)z, pixel[y * W + x] = 0;
            for (int k = 0; k < 24; k += 8)
                pixel[y * W + x] |= (uint32_t)((color >> k & 255) * (0.3 + 0.7 * light)) << k;
        }
}

static void draw(ct_world *world)
{
    ct_draw d = ct_draw_default();
    for (int i = 0; i < W * H; i++)
        pixel[i] = 0x203040, depth[i] = 1e9f;
    d.triangle = triangle, d.contacts = d.joints = d.limit = 0;
    ct_world_draw(world, &d);
}

/* ---- sound: a hit is a tone that fades, louder the faster it is ---- */

static void hear(const ct_events *e, int frame)
{
    for (int i = 0; i < e->n_hit; i++)
        for (int k = 0; k < RATE / 4; k++) {
            double t = k / (double)RATE, loud = 5000 * fmin((double)e->hit[i].speed / 5, 1), now = sound[frame * RATE / 60 + k];
            now += loud * exp(-18 * t) * sin(6.283 * (180 + 60 * (e->hit[i].contact.body_a.index1 % 5)) * t);
            sound[frame * RATE / 60 + k] = (short)fmax(-32000, fmin(32000, now));
        }
}

static int write_files(int number)
{
    char name[32];
    snprintf(name, sizeof name, number < 0 ? "toy.wav" : "toy_%d.ppm", number);
    FILE *f = fopen(name, "wb");
    if (!f)
        return 0;
    if (number < 0) {
        const uint32_t n = sizeof sound;
        const uint32_t head[11] = {0x46464952, 36 + n, 0x45564157, 0x20746d66, 16, 0x10001, RATE, 2 * RATE, 0x100002, 0x61746164, n};
        fwrite(head, 4, 11, f), fwrite(sound, 1, n, f);
    } else {
        fprintf(f, "P6 %d %d 255\n", W, H);
        for (int i = 0; i < W * H; i++)
            fputc((int)(pixel[i] >> 16 & 255), f), fputc((int)(pixel[i] >> 8 & 255), f), fputc((int)(pixel[i] & 255), f);
    }
    return fclose(f) == 0;
}

/* what is under a pixel is kicked away from the eye */
static void kick(ct_world *world, int x, int y)
{
    ct_real from[3] = {(ct_real)eye[0], (ct_real)eye[1], (ct_real)eye[2]};
    ct_real way[3] = {(ct_real)((x - W / 2) * 20 / zoom), (ct_real)((H / 2 - y) * 20 / zoom), -20};
    ct_real impulse[3] = {0, 0, 0};
    ct_hit hit;
    if (ct_world_update_queries(world) || ct_world_cast_ray(world, from, way, NULL, &hit, NULL) || !hit.body.index1)
        return;
    impulse[1] = impulse[2] = -3 * ct_body_get_mass(world, hit.body), impulse[1] *= -1;
    ct_body_add_impulse(world, hit.body, impulse, NULL); /* refused for the floor, which does not move */
    printf("kicked %s\n", ct_body_name(world, hit.body));
}

int main(void)
{
    ct_real small[3] = {(ct_real)0.4, (ct_real)0.4, (ct_real)0.4}, large[3] = {1, (ct_real)0.6, 1};
    int one[3] = {1, 1, 1}, four[3] = {4, 3, 4}, hits = 0, open = 1;
    ct_rigid_desc crate = ct_rigid_desc_default();
    ct_soft_desc jelly = ct_soft_desc_default();
    ct_mesh crate_mesh, jelly_mesh;
    ct_world *world;
    ct_events e;
    if (ct_mesh_box(small, one, 0, &crate_mesh, NULL) || ct_mesh_box(large, four, 1, &jelly_mesh, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    crate.mesh = &crate_mesh, crate.name = "crate", crate.density = 200, crate.position[1] = 4, crate.rotation[1] = crate.rotation[3] = (ct_real)0.2;
    jelly.mesh = &jelly_mesh, jelly.name = "jelly", jelly.material.young = 30000, jelly.position[1] = (ct_real)0.302;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_soft(world, &jelly, NULL))
        return printf("%s\n", ct_world_error(world)->text), 1;
#ifdef TOY_SDL
    SDL_Init(SDL_INIT_VIDEO);
    SDL_Window *window = SDL_CreateWindow("toy", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 2 * W, 2 * H, 0);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
    SDL_Texture *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, W, H);
#endif
    for (int f = 0; f < FRAMES && open; f++) {
        crate.position[0] = (ct_real)(0.3 * (f / 40 % 3 - 1));
        if ((f % 40 == 0 && ct_body_add_rigid(world, &crate, NULL)) || ct_world_step(world, (ct_real)(1.0 / 60), NULL) || ct_world_events(world, &e))
            return printf("%s\n", ct_world_error(world)->text), 1;
        hits += e.n_hit, hear(&e, f), draw(world);
#ifdef TOY_SDL
        for (SDL_Event q; SDL_PollEvent(&q);)
            q.type == SDL_QUIT ? (void)(open = 0) : q.type == SDL_MOUSEBUTTONDOWN ? kick(world, q.button.x / 2, q.button.y / 2) : (void)0;
        SDL_UpdateTexture(texture, NULL, pixel, 4 * W), SDL_RenderCopy(renderer, texture, NULL, NULL), SDL_RenderPresent(renderer);
#else
        if (f == 150)
            kick(world, W / 2, H / 2 + 40);
        if (f % 60 == 59 && !write_files(f / 60))
            return 1;
#endif
    }
    printf("%d hits; toy_0.ppm to toy_3.ppm, toy.wav\n", hits);
    ct_world_destroy(world), ct_mesh_free(&crate_mesh), ct_mesh_free(&jelly_mesh);
    return write_files(-1) && hits >= 5 ? 0 : 1;
}
