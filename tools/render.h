/* render.h -- a picture of a run, or a film: software z-buffer to .png, .gif, .webp, or .mp4 by ffmpeg. */
#ifndef RENDER_H
#define RENDER_H

#include "look.h"

typedef struct render render;

typedef struct render_options {
    const char *path; /* NULL: no picture */
    look_colour colour;
    double range; /* of its scale, 0: the largest value so far */
    int edges;    /* 1: those of triangles */
    int w, h;     /* [pixels], 0: by the kind of file */
} render_options;

/* render_option -- --colour, --range, --edges, --size: 1 when argv[*i] is one of them, 0 when not, -1 after a message. */
int render_option(render_options *o, int argc, char **argv, int *i);
/* render_possible -- the path has an end that is known, and can be made; 0 after a message. */
int render_possible(const render_options *o);
/* render_create -- NULL after a message. s NULL: no scene belongs to the bodies. step_seconds is the time between calls of render_frame; a
   film plays in real time. */
render *render_create(const render_options *o, const scene *s, const sim *start, double step_seconds);
/* render_wants_frames -- 1 for a film. */
int render_wants_frames(const render *r);
/* render_frame -- film: adds a frame when one is due; picture: nothing. 0 after a message. */
int render_frame(render *r, const sim *m, double time);
/* render_finish -- writes the picture or ends the film, frees r. 0 after a message. */
int render_finish(render *r, const sim *m);
/* render_discard -- frees r and leaves no file. */
void render_discard(render *r);
/* render_png -- writes a picture [3 w h]; 0 after a message. */
int render_png(const char *path, int w, int h, const unsigned char *picture);

#endif /* RENDER_H */
