/* gif.h -- an animated GIF that repeats for ever. */
#ifndef GIF_H
#define GIF_H

#include <stdio.h>

typedef struct gif gif;

/* gif_open -- begins a file of w x h pixels that is open for writing. gif_write -- a picture [3 w h]. gif_close -- writes the end and
   frees g; the file stays open, and its error flag tells whether everything was written. */
gif *gif_open(FILE *f, int w, int h, double rate);
void gif_write(gif *g, const unsigned char *picture);
void gif_close(gif *g);

#endif /* GIF_H */
