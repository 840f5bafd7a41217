/* scene_out.c -- a scene that a command writes, and the paths in it. */
#define _XOPEN_SOURCE 700
#include "scene_out.h"
#include "cli.h"
#include <stdlib.h>
#include <string.h>

int scene_out_open(scene_out *o, const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    memset(o, 0, sizeof *o);
    o->f = stdout, o->folder = ".";
    if (!path)
        return 1;
    if (name && (size_t)(name - path) >= sizeof o->text)
        return cli_fail("%s: the path is too long", path), 0;
    if (name) {
        memcpy(o->text, path, (size_t)(name - path) + 1);
        o->text[name > path ? name - path : 1] = 0;
        o->folder = o->text;
    }
    if (!out_open(&o->file, o->folder, name ? name + 1 : path))
        return 0;
    o->f = o->file.f;
    return 1;
}

int scene_out_close(scene_out *o, int keep)
{
    if (!o->file.f)
        return 1;
    if (keep)
        return out_close(&o->file);
    out_discard(&o->file);
    return 1;
}

/* the file's real path from the real path of the folder: up to what both have in common, then down */
static char *scene_out_relative(const char *folder, const char *path)
{
    char *from = realpath(folder, NULL), *to = realpath(path, NULL), *out = NULL;
    size_t same = 0, i, up = 0, n = from ? strlen(from) : 0;
    if (from && to) {
        for (i = 0; from[i] && from[i] == to[i]; i++)
            if (from[i] == '/')
                same = i + 1;
        if (!from[i] && to[i] == '/')
            same = i + 1;
        for (i = same; i < n; i++)
            up += from[i] == '/' || i == same;
        out = (char *)cli_alloc(3 * up + strlen(to) + 1, 1);
        for (i = 0; i < up; i++)
            strcat(out, "../");
        strcat(out, to + same);
    }
    free(from), free(to);
    return out;
}

void scene_out_path(scene_out *o, const char *path, const char *end)
{
    char *relative = *path == '/' || !strcmp(o->folder, ".") ? NULL : scene_out_relative(o->folder, path), *whole;
    const char *begin = relative ? relative : path;
    whole = (char *)cli_alloc(strlen(begin) + strlen(end) + 1, 1);
    strcat(strcpy(whole, begin), end);
    out_json_string(o->f, whole);
    free(whole), free(relative);
}
