/* fuzz_scene.c -- libFuzzer harness of the command line's scene files: parsing and all checks, no files of meshes and no steps. */
#define _POSIX_C_SOURCE 200809L
#include "../../tools/scene.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char path[64];
    scene s;
    FILE *f;
    if (!path[0]) {
        snprintf(path, sizeof path, "%s/contact_fuzz_%ld.json", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        if (!freopen("/dev/null", "w", stdout))
            abort();
    }
    f = fopen(path, "wb");
    if (!f || (n && fwrite(data, 1, n, f) != n))
        abort();
    fclose(f);
    if (scene_read(path, NULL, 0, &s))
        scene_free(&s);
    return 0;
}
