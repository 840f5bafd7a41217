/* overlay.c -- triangles of texts and lines. A letter is five columns of eight dots, the lowest bit on top. */
#include "overlay.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* from blank to tilde */
static const unsigned char overlay_font[95][5] = {
    {0, 0, 0, 0, 0},           {0, 0, 95, 0, 0},          {0, 7, 0, 7, 0},           {20, 127, 20, 127, 20},    {36, 42, 127, 42, 18},
    {35, 19, 8, 100, 98},      {54, 73, 85, 34, 80},      {0, 5, 3, 0, 0},           {0, 28, 34, 65, 0},        {0, 65, 34, 28, 0},
    {20, 8, 62, 8, 20},        {8, 8, 62, 8, 8},          {0, 80, 48, 0, 0},         {8, 8, 8, 8, 8},           {0, 96, 96, 0, 0},
    {32, 16, 8, 4, 2},         {62, 81, 73, 69, 62},      {0, 66, 127, 64, 0},       {66, 97, 81, 73, 70},      {33, 65, 69, 75, 49},
    {24, 20, 18, 127, 16},     {39, 69, 69, 69, 57},      {60, 74, 73, 73, 48},      {1, 113, 9, 5, 3},         {54, 73, 73, 73, 54},
    {6, 73, 73, 41, 30},       {0, 54, 54, 0, 0},         {0, 86, 54, 0, 0},         {8, 20, 34, 65, 0},        {20, 20, 20, 20, 20},
    {0, 65, 34, 20, 8},        {2, 1, 81, 9, 6},          {50, 73, 121, 65, 62},     {126, 17, 17, 17, 126},    {127, 73, 73, 73, 54},
    {62, 65, 65, 65, 34},      {127, 65, 65, 34, 28},     {127, 73, 73, 73, 65},     {127, 9, 9, 9, 1},         {62, 65, 73, 73, 122},
    {127, 8, 8, 8, 127},       {0, 65, 127, 65, 0},       {32, 64, 65, 63, 1},       {127, 8, 20, 34, 65},      {127, 64, 64, 64, 64},
    {127, 2, 12, 2, 127},      {127, 4, 8, 16, 127},      {62, 65, 65, 65, 62},      {127, 9, 9, 9, 6},         {62, 65, 81, 33, 94},
    {127, 9, 25, 41, 70},      {70, 73, 73, 73, 49},      {1, 1, 127, 1, 1},         {63, 64, 64, 64, 63},      {31, 32, 64, 32, 31},
    {63, 64, 56, 64, 63},      {99, 20, 8, 20, 99},       {7, 8, 112, 8, 7},         {97, 81, 73, 69, 67},      {0, 127, 65, 65, 0},
    {2, 4, 8, 16, 32},         {0, 65, 65, 127, 0},       {4, 2, 1, 2, 4},           {64, 64, 64, 64, 64},      {0, 1, 2, 4, 0},
    {32, 84, 84, 84, 120},     {127, 72, 68, 68, 56},     {56, 68, 68, 68, 32},      {56, 68, 68, 72, 127},     {56, 84, 84, 84, 24},
    {8, 126, 9, 1, 2},         {24, 164, 164, 164, 124},  {127, 8, 4, 4, 120},       {0, 68, 125, 64, 0},       {64, 128, 132, 125, 0},
    {127, 16, 40, 68, 0},      {0, 65, 127, 64, 0},       {124, 4, 24, 4, 120},      {124, 8, 4, 4, 120},       {56, 68, 68, 68, 56},
    {252, 36, 36, 36, 24},   {24, 36, 36, 36, 252},  {124, 8, 4, 4, 8},         {72, 84, 84, 84, 32},      {4, 63, 68, 64, 32},
    {60, 64, 64, 32, 124},     {28, 32, 64, 32, 28},      {60, 64, 48, 64, 60},      {68, 40, 16, 40, 68},      {28, 160, 160, 160, 124},
    {68, 100, 84, 76, 68},     {0, 8, 54, 65, 0},         {0, 0, 127, 0, 0},         {0, 65, 54, 8, 0},         {8, 4, 8, 16, 8}};

void overlay_clear(overlay *o) { o->n = 0; }

void overlay_free(overlay *o)
{
    free(o->corners);
    memset(o, 0, sizeof *o);
}

/* four corners in their order around */
static void overlay_quad(overlay *o, const double p[4][2], const float colour[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    int i;
    if (o->n + 6 > o->room) {
        o->room = 2 * o->room + 6000;
        o->corners = (overlay_corner *)cli_grow(o->corners, (size_t)o->room, sizeof *o->corners);
    }
    for (i = 0; i < 6; i++) {
        overlay_corner *c = &o->corners[o->n++];
        c->x = (float)p[order[i]][0], c->y = (float)p[order[i]][1];
        memcpy(c->colour, colour, sizeof c->colour);
    }
}

void overlay_box(overlay *o, double x0, double y0, double x1, double y1, const float colour[4])
{
    double p[4][2];
    p[0][0] = p[3][0] = x0, p[1][0] = p[2][0] = x1;
    p[0][1] = p[1][1] = y0, p[2][1] = p[3][1] = y1;
    overlay_quad(o, (const double(*)[2])p, colour);
}

void overlay_line(overlay *o, const double a[2], const double b[2], double width, const float colour[4])
{
    double x = b[0] - a[0], y = b[1] - a[1], length = sqrt(x * x + y * y), u, v, p[4][2];
    if (!(length > 0))
        return;
    u = -0.5 * width * y / length, v = 0.5 * width * x / length;
    p[0][0] = a[0] + u, p[1][0] = b[0] + u, p[2][0] = b[0] - u, p[3][0] = a[0] - u;
    p[0][1] = a[1] + v, p[1][1] = b[1] + v, p[2][1] = b[1] - v, p[3][1] = a[1] - v;
    overlay_quad(o, (const double(*)[2])p, colour);
}

void overlay_text(overlay *o, double x, double y, double size, const float colour[4], const char *text)
{
    double left = x;
    int c, r;
    for (; *text; text++) {
        const unsigned char *glyph = overlay_font[*text > 32 && *text < 127 ? *text - 32 : 0];
        for (c = 0; c < 5 && *text != '\n'; c++)
            for (r = 0; r < 8; r++)
                if (glyph[c] >> r & 1)
                    overlay_box(o, x + c * size, y + r * size, x + (c + 1) * size, y + (r + 1) * size, colour);
        x = *text == '\n' ? left : x + 6 * size;
        y += *text == '\n' ? 10 * size : 0;
    }
}

void overlay_text_size(const char *text, double size, double out[2])
{
    double columns = 0;
    out[0] = 0, out[1] = 10 * size;
    for (; *text; text++) {
        columns = *text == '\n' ? 0 : columns + 1;
        out[0] = fmax(out[0], 6 * size * columns);
        out[1] += *text == '\n' ? 10 * size : 0;
    }
}
