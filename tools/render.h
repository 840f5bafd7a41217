/* render.h -- a picture of a run: software z-buffer, PNG, and video through ffmpeg where there is one. */
#ifndef RENDER_H
#define RENDER_H

#include "sim.h"

typedef struct render render;

/* render_create -- path ends in .png or .mp4; NULL after a message (.mp4 without ffmpeg, other ends). step_seconds is a frame's time. */
render *render_create(const char *path, const scene *s, const sim *start, double step_seconds);
/* render_wants_frames -- 1 for video. */
int render_wants_frames(const render *r);
/* render_frame -- video: adds a frame when one is due; picture: nothing. 0 after a message. */
int render_frame(render *r, const sim *m, double time);
/* render_finish -- writes the picture or ends the video, frees r. 0 after a message. */
int render_finish(render *r, const sim *m);

#endif /* RENDER_H */
