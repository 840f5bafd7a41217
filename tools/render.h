/* render.h -- a picture of a run: software z-buffer, PNG, and video if ffmpeg is installed. */
#ifndef RENDER_H
#define RENDER_H

#include "sim.h"

typedef struct render render;

/* render_possible -- path ends in .png or .mp4 and can be made; 0 after a message (.mp4 without ffmpeg, other ends). */
int render_possible(const char *path);
/* render_create -- NULL after a message. step_seconds is the time between calls of render_frame; a video plays in real time. */
render *render_create(const char *path, const scene *s, const sim *start, double step_seconds);
/* render_wants_frames -- 1 for video. */
int render_wants_frames(const render *r);
/* render_frame -- video: adds a frame when one is due; picture: nothing. 0 after a message. */
int render_frame(render *r, const sim *m, double time);
/* render_finish -- writes the picture or ends the video, frees r. 0 after a message. */
int render_finish(render *r, const sim *m);
/* render_discard -- frees r and leaves no file. */
void render_discard(render *r);

#endif /* RENDER_H */
