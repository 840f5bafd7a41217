/* overlay.h -- text, lines and boxes over a picture, as triangles in pixels from its upper left corner. */
#ifndef OVERLAY_H
#define OVERLAY_H

typedef struct overlay_corner {
    float x, y, colour[4]; /* red, green, blue, opacity */
} overlay_corner;

typedef struct overlay {
    overlay_corner *corners; /* [n], three a triangle */
    int n, room;
} overlay;

void overlay_clear(overlay *o);
void overlay_free(overlay *o);
void overlay_box(overlay *o, double x0, double y0, double x1, double y1, const float colour[4]);
void overlay_line(overlay *o, const double a[2], const double b[2], double width, const float colour[4]);
/* overlay_text -- letters of 6 x 8 dots of `size` pixels; '\n' begins a line. overlay_text_size -- the box that a text needs. */
void overlay_text(overlay *o, double x, double y, double size, const float colour[4], const char *text);
void overlay_text_size(const char *text, double size, double out[2]);

#endif /* OVERLAY_H */
