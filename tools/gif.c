/* gif.c -- GIF89a. Method: each picture has a palette of its own, by median cut (Heckbert 1982) of the colours of those pixels that have changed;
   the others are transparent, so that the picture before shows through. Ordered dither (Bayer 1973) hides the steps of 5 bits a channel. LZW of
   Welch 1984, with codes of up to 12 bits. */
#include "gif.h"
#include "cli.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GIF_COLOURS = 255, GIF_CLEAR_PIXEL = 255, GIF_BINS = 1 << 15, GIF_CODES = 4096, GIF_SAME = 3 };

typedef struct gif_bin {
    unsigned char at[3]; /* 5 bits each */
    unsigned count;
    unsigned sum[3];
} gif_bin;

struct gif {
    FILE *f;
    int w, h;
    int n;
    double rate;
    unsigned char *shown;       /* [3 w h] pictures, each pixel when it was drawn last */
    unsigned char *pixels;      /* [w h] numbers of colours */
    gif_bin *bins;              /* [GIF_BINS] */
    int *list;                  /* [GIF_BINS] those that are not empty */
    unsigned char *colour;      /* [GIF_BINS] number of a bin's colour */
    uint16_t (*next)[256];      /* [GIF_CODES] the code of a known string and one more pixel, 0: none */
    unsigned char block[255];   /* bytes that wait for their block */
    int block_n, bit_n;
    uint32_t bits;
};

static void gif_word(FILE *f, int x)
{
    fputc(x & 255, f);
    fputc(x >> 8 & 255, f);
}

gif *gif_open(FILE *f, int w, int h, double rate)
{
    gif *g = (gif *)cli_alloc(1, sizeof *g);
    size_t n = (size_t)w * (size_t)h;
    g->f = f, g->w = w, g->h = h, g->rate = rate;
    g->shown = (unsigned char *)cli_alloc(n, 3);
    g->pixels = (unsigned char *)cli_alloc(n, 1);
    g->bins = (gif_bin *)cli_alloc(GIF_BINS, sizeof *g->bins);
    g->list = (int *)cli_alloc(GIF_BINS, sizeof *g->list);
    g->colour = (unsigned char *)cli_alloc(GIF_BINS, 1);
    g->next = (uint16_t(*)[256])cli_alloc(GIF_CODES, sizeof *g->next);
    fputs("GIF89a", f);
    gif_word(f, w), gif_word(f, h);
    fwrite("\0\0\0\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 1, 22, f);
    return g;
}

/* ---- colours ---- */

/* the bin of a pixel's dithered colour */
static int gif_bin_of(const unsigned char *c, int x, int y)
{
    static const signed char dither[16] = {-4, 0, -3, 1, 2, -2, 3, -1, -3, 1, -4, 0, 3, -1, 2, -2};
    int k, v, bin = 0;
    for (k = 0; k < 3; k++) {
        v = c[k] + dither[4 * (y & 3) + (x & 3)];
        bin = bin << 5 | (v < 0 ? 0 : v > 255 ? 255 : v) >> 3;
    }
    return bin;
}

/* the bins of the pixels that have changed; the others get the clear one */
static int gif_count(gif *g, const unsigned char *picture)
{
    int x, y, k, n = 0;
    memset(g->bins, 0, GIF_BINS * sizeof *g->bins);
    for (y = 0; y < g->h; y++)
        for (x = 0; x < g->w; x++) {
            size_t at = (size_t)y * (size_t)g->w + (size_t)x;
            const unsigned char *c = picture + 3 * at;
            unsigned char *old = g->shown + 3 * at;
            gif_bin *b;
            g->pixels[at] = GIF_CLEAR_PIXEL;
            if (g->n > 0 && abs(c[0] - old[0]) <= GIF_SAME && abs(c[1] - old[1]) <= GIF_SAME && abs(c[2] - old[2]) <= GIF_SAME)
                continue;
            g->pixels[at] = 0;
            memcpy(old, c, 3);
            k = gif_bin_of(c, x, y);
            b = &g->bins[k];
            if (b->count++ == 0) {
                g->list[n++] = k;
                b->at[0] = (unsigned char)(k >> 10), b->at[1] = (unsigned char)(k >> 5 & 31), b->at[2] = (unsigned char)(k & 31);
            }
            for (k = 0; k < 3; k++)
                b->sum[k] += c[k];
        }
    return n;
}

typedef struct gif_box {
    int begin, end, axis; /* of the list; its longest side */
    double weight;        /* pixels times the length of that side */
} gif_box;

static void gif_measure(const gif *g, gif_box *b)
{
    int lo[3] = {31, 31, 31}, hi[3] = {0, 0, 0}, i, k;
    double count = 0;
    for (i = b->begin; i < b->end; i++) {
        const gif_bin *bin = &g->bins[g->list[i]];
        count += bin->count;
        for (k = 0; k < 3; k++) {
            lo[k] = bin->at[k] < lo[k] ? bin->at[k] : lo[k];
            hi[k] = bin->at[k] > hi[k] ? bin->at[k] : hi[k];
        }
    }
    b->axis = hi[1] - lo[1] >= hi[0] - lo[0] ? 1 : 0;
    if (hi[2] - lo[2] > hi[b->axis] - lo[b->axis])
        b->axis = 2;
    b->weight = sqrt(count) * (hi[b->axis] - lo[b->axis]);
}

/* the list of a box in two by the value along its axis: those up to the pixels' mean come first; the length of the first part */
static int gif_split(gif *g, const gif_box *b)
{
    double sum = 0, count = 0;
    int i, n = b->begin;
    for (i = b->begin; i < b->end; i++) {
        const gif_bin *bin = &g->bins[g->list[i]];
        sum += (double)bin->count * bin->at[b->axis], count += bin->count;
    }
    for (i = b->begin; i < b->end; i++)
        if (g->bins[g->list[i]].at[b->axis] <= sum / count) {
            int t = g->list[i];
            g->list[i] = g->list[n], g->list[n++] = t;
        }
    return n;
}

/* palette [3 GIF_COLOURS] of a list of n bins */
static void gif_palette(gif *g, int n, unsigned char *palette)
{
    gif_box boxes[GIF_COLOURS];
    int count = 1, i, k, best;
    boxes[0].begin = 0, boxes[0].end = n;
    gif_measure(g, &boxes[0]);
    while (count < GIF_COLOURS) {
        for (best = 0, i = 1; i < count; i++)
            if (boxes[i].weight > boxes[best].weight)
                best = i;
        if (!(boxes[best].weight > 0))
            break;
        boxes[count].end = boxes[best].end;
        boxes[count].begin = boxes[best].end = gif_split(g, &boxes[best]);
        gif_measure(g, &boxes[best]);
        gif_measure(g, &boxes[count++]);
    }
    memset(palette, 0, 3 * GIF_COLOURS);
    for (k = 0; n > 0 && k < count; k++) {
        double sum[3] = {0, 0, 0}, pixels = 0;
        int j;
        for (i = boxes[k].begin; i < boxes[k].end; i++) {
            const gif_bin *b = &g->bins[g->list[i]];
            g->colour[g->list[i]] = (unsigned char)k;
            for (j = 0; j < 3; j++)
                sum[j] += b->sum[j];
            pixels += b->count;
        }
        for (j = 0; j < 3; j++)
            palette[3 * k + j] = (unsigned char)(sum[j] / pixels + 0.5);
    }
}

/* ---- LZW ---- */

static void gif_flush(gif *g)
{
    if (g->block_n == 0)
        return;
    fputc(g->block_n, g->f);
    fwrite(g->block, 1, (size_t)g->block_n, g->f);
    g->block_n = 0;
}

static void gif_code(gif *g, int code, int size)
{
    g->bits |= (uint32_t)code << g->bit_n;
    for (g->bit_n += size; g->bit_n >= 8; g->bit_n -= 8, g->bits >>= 8) {
        g->block[g->block_n++] = (unsigned char)(g->bits & 255);
        if (g->block_n == 255)
            gif_flush(g);
    }
}

static void gif_pixels(gif *g)
{
    enum { CLEAR = 256, END = 257 };
    size_t i, n = (size_t)g->w * (size_t)g->h;
    int size = 9, codes = END + 1, now = g->pixels[0];
    fputc(8, g->f);
    memset(g->next, 0, GIF_CODES * sizeof *g->next);
    gif_code(g, CLEAR, size);
    for (i = 1; i < n; i++) {
        int pixel = g->pixels[i];
        if (g->next[now][pixel]) {
            now = g->next[now][pixel];
            continue;
        }
        gif_code(g, now, size);
        g->next[now][pixel] = (uint16_t)codes;
        now = pixel;
        size += codes == 1 << size;
        if (++codes == GIF_CODES) {
            gif_code(g, CLEAR, 12);
            memset(g->next, 0, GIF_CODES * sizeof *g->next);
            size = 9, codes = END + 1;
        }
    }
    gif_code(g, now, size);
    gif_code(g, END, size + (codes == 1 << size && size < 12));
    gif_code(g, 0, 7); /* the last bits */
    gif_flush(g);
    g->bits = 0, g->bit_n = 0;
    fputc(0, g->f);
}

void gif_write(gif *g, const unsigned char *picture)
{
    unsigned char palette[3 * (GIF_COLOURS + 1)] = {0};
    int x, y, n = gif_count(g, picture), delay = (int)(lround(100 * (g->n + 1) / g->rate) - lround(100 * g->n / g->rate));
    gif_palette(g, n, palette);
    for (y = 0; y < g->h; y++)
        for (x = 0; x < g->w; x++) {
            size_t at = (size_t)y * (size_t)g->w + (size_t)x;
            if (g->pixels[at] != GIF_CLEAR_PIXEL)
                g->pixels[at] = g->colour[gif_bin_of(picture + 3 * at, x, y)];
        }
    /* how long it is shown, and which colour is clear */
    fwrite("\x21\xf9\x04\x05", 1, 4, g->f);
    gif_word(g->f, delay);
    fwrite("\xff\0\x2c\0\0\0\0", 1, 7, g->f);
    gif_word(g->f, g->w), gif_word(g->f, g->h);
    fputc(0x87, g->f);
    fwrite(palette, 1, sizeof palette, g->f);
    gif_pixels(g);
    g->n++;
}

void gif_close(gif *g)
{
    fputc(0x3b, g->f);
    free(g->shown), free(g->pixels), free(g->bins), free(g->list), free(g->colour), free(g->next);
    free(g);
}
