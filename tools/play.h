/* play.h -- what is watched: a scene that runs, the stored frames of a run, or surfaces in files. */
#ifndef PLAY_H
#define PLAY_H

#include "sim.h"

typedef struct play {
    const char *path; /* as it was given */
    const char **sets; /* [n_sets] changes of the scene */
    int n_sets;
    sim_options options;
    int is_live, has_scene; /* 1: a scene runs; a scene belongs to the bodies */
    scene scene;
    sim sim;
    char **files; /* [n_files] of frames */
    int n_files, at; /* the frame that is shown */
    int *part, *own, n_positions; /* body and vertex in it of each position of a frame; -1: none */
    double time, step_seconds; /* [s] between steps or frames */
    long step; /* of the run */
    ct_step_report report; /* of the last step of a live one */
} play;

/* play_open -- path, sets, n_sets and options are given, the rest is 0. A name that ends in .json is a scene. 0 after a message; play_close in any
   case. */
int play_open(play *p);
void play_close(play *p);
/* play_step -- one step or frame further: 1, 0 at the last frame, -1 after a message. */
int play_step(play *p);
/* play_seek -- a stored frame, counted from 0; 0 after a message. */
int play_seek(play *p, int frame);
/* play_number -- of a frame, as its name has it; its place where the name has none. */
long play_number(const play *p, int frame);
/* play_reset -- from the start: a scene is read again. 0 after a message. */
int play_reset(play *p);

#endif /* PLAY_H */
