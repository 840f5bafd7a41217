/* view_gl.h -- a window with the picture that render.c draws, by OpenGL 3.3. */
#ifndef VIEW_GL_H
#define VIEW_GL_H

#include "look.h"
#include "overlay.h"

typedef struct view_gl view_gl;

/* view_gl_create -- opens a window of w x h pixels; NULL after a message. */
view_gl *view_gl_create(const char *title, int w, int h);
void view_gl_free(view_gl *v);
/* view_gl_size -- of the window now. */
void view_gl_size(const view_gl *v, int *w, int *h);
/* view_gl_draw -- look_build's triangles seen by a camera, with what lies over them. view_gl_show -- shows it in the window. */
void view_gl_draw(view_gl *v, const look *l, const look_camera *camera, int edges, const overlay *o);
void view_gl_show(view_gl *v);
/* view_gl_read -- the picture that was drawn and not yet shown, [3 w h]. */
void view_gl_read(const view_gl *v, unsigned char *picture);

#endif /* VIEW_GL_H */
