/* film.c -- which encoder a file's name asks for; .webp by libwebp where the program was built with it. */
#define _POSIX_C_SOURCE 200809L
#include "film.h"
#include "cli.h"
#include "gif.h"
#include "output.h"
#include "video.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef CONTACT_WEBP
#include <webp/encode.h>
#include <webp/mux.h>
#endif

typedef enum film_kind { FILM_MP4, FILM_GIF, FILM_WEBP, FILM_NONE } film_kind;

struct film {
    film_kind kind;
    video *video;
    gif *gif;
    out_file file;
    int w, h, n;
    double rate;
    void *encoder; /* of libwebp */
};

static film_kind film_kind_of(const char *path)
{
    static const char *const ends[FILM_NONE] = {".mp4", ".gif", ".webp"};
    size_t n = strlen(path), m;
    int i;
    for (i = 0; i < FILM_NONE; i++)
        if (m = strlen(ends[i]), n > m && !strcmp(path + n - m, ends[i]))
            return (film_kind)i;
    return FILM_NONE;
}

int film_is(const char *path) { return film_kind_of(path) != FILM_NONE; }

int film_possible(const char *path)
{
    out_file o;
    if (film_kind_of(path) == FILM_MP4)
        return video_possible(path);
#ifndef CONTACT_WEBP
    if (film_kind_of(path) == FILM_WEBP) {
        cli_fail("%s: this program was built without libwebp: apt-get install libwebp-dev, then make; a .gif works without it", path);
        return 0;
    }
#endif
    if (!out_open(&o, "", path))
        return 0;
    out_discard(&o);
    return 1;
}

double film_rate(const char *path, double step_seconds)
{
    int is_mp4 = film_kind_of(path) == FILM_MP4;
    double rate = 1 / step_seconds, fastest = is_mp4 ? 60 : 30;
    if (rate > fastest)
        return rate / ceil(rate / fastest - 1e-9);
    return is_mp4 && rate < 24 ? rate * ceil(24 / rate - 1e-9) : rate;
}

#ifdef CONTACT_WEBP
static int film_webp_open(film *f)
{
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options))
        return 0;
    /* each picture is whole: differences leave squares behind where they are below the loss of a picture */
    options.kmin = 0, options.kmax = 1;
    f->encoder = WebPAnimEncoderNew(f->w, f->h, &options);
    return f->encoder != NULL;
}

static int film_webp_write(film *f, const unsigned char *picture)
{
    WebPConfig config;
    WebPPicture p;
    int ok;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DRAWING, 70) || !WebPPictureInit(&p))
        return 0;
    config.method = 2;
    p.use_argb = 1, p.width = f->w, p.height = f->h;
    ok = WebPPictureImportRGB(&p, picture, 3 * f->w) &&
         WebPAnimEncoderAdd((WebPAnimEncoder *)f->encoder, &p, (int)lround(1000 * f->n / f->rate), &config);
    WebPPictureFree(&p);
    return ok;
}

/* the last picture lasts as long as the others */
static int film_webp_end(film *f)
{
    WebPData data;
    int ok = WebPAnimEncoderAdd((WebPAnimEncoder *)f->encoder, NULL, (int)lround(1000 * f->n / f->rate), NULL);
    WebPDataInit(&data);
    ok = ok && WebPAnimEncoderAssemble((WebPAnimEncoder *)f->encoder, &data) && fwrite(data.bytes, 1, data.size, f->file.f) == data.size;
    WebPDataClear(&data);
    return ok;
}

static void film_webp_free(film *f) { WebPAnimEncoderDelete((WebPAnimEncoder *)f->encoder); }
#else
static int film_webp_open(film *f) { return f->encoder != NULL; }
static int film_webp_write(film *f, const unsigned char *picture) { return f->encoder != NULL && picture != NULL; }
static int film_webp_end(film *f) { return f->encoder != NULL; }
static void film_webp_free(film *f) { (void)f; }
#endif

film *film_open(const char *path, int w, int h, double rate)
{
    film *f = (film *)cli_alloc(1, sizeof *f);
    int ok;
    f->kind = film_kind_of(path);
    f->w = w, f->h = h, f->rate = rate;
    if (f->kind == FILM_MP4) {
        f->video = video_open(path, w, h, rate);
        ok = f->video != NULL;
    } else {
        ok = out_open(&f->file, "", path);
        if (ok && f->kind == FILM_GIF)
            f->gif = gif_open(f->file.f, w, h, rate);
        else if (ok && !film_webp_open(f)) {
            cli_fail("%s: libwebp cannot start", path);
            out_discard(&f->file);
            ok = 0;
        }
    }
    if (ok)
        return f;
    free(f);
    return NULL;
}

int film_write(film *f, const unsigned char *picture)
{
    int ok = 1;
    if (f->kind == FILM_MP4)
        return video_write(f->video, picture);
    if (f->kind == FILM_GIF)
        gif_write(f->gif, picture);
    else if (!film_webp_write(f, picture))
        ok = 0, cli_fail("%s: libwebp cannot add picture %d", f->file.path, f->n);
    f->n++;
    return ok;
}

int film_close(film *f)
{
    int ok = 1;
    if (f->kind == FILM_MP4)
        ok = video_close(f->video);
    else {
        if (f->kind == FILM_GIF)
            gif_close(f->gif);
        else {
            ok = film_webp_end(f);
            film_webp_free(f);
        }
        if (ok)
            ok = out_close(&f->file);
        else {
            cli_fail("%s: libwebp cannot end the film", f->file.path);
            out_discard(&f->file);
        }
    }
    free(f);
    return ok;
}

void film_discard(film *f)
{
    if (f->kind == FILM_MP4)
        video_discard(f->video);
    else {
        if (f->kind == FILM_GIF)
            gif_close(f->gif);
        else
            film_webp_free(f);
        out_discard(&f->file);
    }
    free(f);
}
