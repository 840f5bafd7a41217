/* output.h -- frames, stats.jsonl and summary.json. A file is written under a temporary name and then renamed; JSON has no NaN or Inf. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "sim.h"
#include <stdio.h>

typedef enum out_frames { OUT_FRAMES_OBJ, OUT_FRAMES_VTK, OUT_FRAMES_VTU, OUT_FRAMES_GLTF, OUT_FRAMES_NONE, OUT_FRAMES_COUNT } out_frames;
extern const char *const out_frames_names[OUT_FRAMES_COUNT];

typedef struct out_totals {
    const char *scene_name, *scene_file, *stepper, *solver;
    int threads;
    int steps, checked, interrupted;
    double dt, time, wall_seconds, cpu_seconds, median_cpu_ms, max_cpu_ms;
    int contacts, max_contacts;
    long intersections; /* over all steps; pairs and contained parts */
    int start_intersections;
    double min_distance, penetration, joint_error, momentum_lost;
    long zones, frozen, substeps, solver_iterations, solver_sweeps, solver_fallbacks, cg_steps, solves, dropped;
    double solve_seconds;
    int zone_steps;
    double frozen_fraction;
    double center_of_mass[3];
    int status_count[CT_STATUS_COUNT_];
    ct_status worst;
    uint64_t hash;
    double nodes, tets; /* of deformable bodies */
} out_totals;

/* out_open, out_close -- a file that exists completely or not at all. path must stay valid in between. out_close returns 0 and prints a message on
   failure. */
typedef struct out_file {
    FILE *f;
    char path[1024], temporary[1040];
    int error; /* errno of the first write that failed */
} out_file;
int out_open(out_file *o, const char *directory, const char *name);
int out_close(out_file *o);
/* out_flush -- writes all output so far to disk; 0 on failure. */
int out_flush(out_file *o);
/* out_close_lines -- the same as out_close; if the disk was full, the file keeps its first `whole` bytes, a message tells, and 0 is returned. */
int out_close_lines(out_file *o, long whole);
void out_discard(out_file *o);
/* out_lock, out_unlock -- one run in a folder at a time; 0 after a message. handle -1: none. A run that was killed leaves no lock. */
typedef struct out_lock_file {
    int handle;
    char path[1040];
} out_lock_file;
int out_lock(out_lock_file *l, const char *directory);
void out_unlock(out_lock_file *l);
/* out_make_directory -- with its parents; 0 after a message. */
int out_make_directory(const char *path);
/* out_remove_series -- removes the files STEM00000SUFFIX and so on, of an earlier run. out_clear -- the statistics, the summary and the frames of
   this kind of an earlier run, so that no frame follows the last one of this run. 0 after a message. */
int out_remove_series(const char *directory, const char *stem, const char *suffix);
int out_clear(const char *directory, out_frames kind);
/* out_series -- the frames of a run. out_frame writes one, or keeps it for the file that has all of them (OUT_FRAMES_GLTF: animation.glb);
   out_series_close writes that, or the list of the frames (OUT_FRAMES_VTU: frames.pvd). 0 after a message. out_series_free in any case. */
typedef struct out_series {
    const char *directory;
    out_frames kind;
    int *numbers;
    double *times; /* [n] of frames so far */
    int n;
    struct out_animation *animation;
} out_series;
void out_series_open(out_series *s, const char *directory, out_frames kind);
int out_frame(out_series *s, const sim *m, int number, double time);
int out_series_close(out_series *s);
void out_series_free(out_series *s);
void out_json_number(FILE *f, double x, int digits);
void out_json_string(FILE *f, const char *text);
/* out_csv -- the same line as comma-separated values, objects as columns "energy.kinetic"; step 1 begins with a line of their names. */
void out_csv(FILE *f, const char *line, int first);
/* out_csv_row -- the values of such an object, or their names, with the line's end. */
void out_csv_row(FILE *f, const char *line, int names);
/* out_stats -- one line; intersections below 0 are null. */
void out_stats(FILE *f, int step, double t, double dt, const ct_step_report *r, long intersections, double cpu_ms);
void out_summary(FILE *f, const out_totals *t);

#endif /* OUTPUT_H */
