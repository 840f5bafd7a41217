/* film.h -- pictures to a file that moves: .gif, .webp, or .mp4 by ffmpeg (video.h). The file exists when it is complete. */
#ifndef FILM_H
#define FILM_H

typedef struct film film;

/* film_is -- 1 when the name has one of these ends. film_possible -- 1 when it can be made; 0 after a message. */
int film_is(const char *path);
int film_possible(const char *path);
/* film_rate -- pictures per second with which steps of step_seconds play in real time: one for each step up to 30 (.mp4: 60) steps a second, every
   n-th of shorter steps; in .mp4 each n times below 24 steps a second. */
double film_rate(const char *path, double step_seconds);
/* film_open -- NULL after a message. film_write -- a picture [3 w h], red, green, blue; 0 after a message. film_close -- ends the file and frees f; 0
   after a message. film_discard -- frees f and leaves no file. */
film *film_open(const char *path, int w, int h, double rate);
int film_write(film *f, const unsigned char *picture);
int film_close(film *f);
void film_discard(film *f);

#endif /* FILM_H */
