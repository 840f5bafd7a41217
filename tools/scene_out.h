/* scene_out.h -- a scene that a command writes: to stdout or to a file, with paths as the scene's reader takes them, from the file's folder. */
#ifndef SCENE_OUT_H
#define SCENE_OUT_H

#include "output.h"

typedef struct scene_out {
    FILE *f;
    const char *folder; /* of the scene, to which its paths are relative; "." for stdout */
    char text[1024];
    out_file file; /* without -o not in use */
} scene_out;

/* scene_out_open -- path NULL: stdout. 0 after a message. */
int scene_out_open(scene_out *o, const char *path);
/* scene_out_close -- the scene is complete, or with keep 0 it is removed; 0 after a message. */
int scene_out_close(scene_out *o, int keep);
/* scene_out_path -- the path of a file or folder as a JSON string, from the scene's folder, and `end` behind it; an absolute path stays as it is. */
void scene_out_path(scene_out *o, const char *path, const char *end);

#endif /* SCENE_OUT_H */
