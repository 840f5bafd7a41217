/* video.c -- a pipe into ffmpeg. Method: ffmpeg runs in a process group of its own, so that Ctrl-C, which the terminal sends to the whole
   group of the run, does not end it before its last picture. A run that ends early closes the pipe and gets a playable file. A broken pipe
   is an error of the write, not a signal. */
#define _POSIX_C_SOURCE 200809L
#include "video.h"
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct video {
    char *path, *temporary;
    size_t size; /* bytes of a picture */
    int pipe;
    pid_t child;
    struct sigaction before; /* SIGPIPE's */
};

/* the file that `name` on PATH would start: 1 when there is one */
static int video_find(const char *name)
{
    const char *path = getenv("PATH"), *end;
    char full[2048];
    for (; path && *path; path = *end ? end + 1 : end) {
        end = path + strcspn(path, ":");
        if (snprintf(full, sizeof full, "%.*s/%s", (int)(end - path), end > path ? path : ".", name) < (int)sizeof full &&
            access(full, X_OK) == 0)
            return 1;
    }
    return 0;
}

static char *video_name(const char *before, const char *path, const char *after)
{
    char *name = (char *)cli_alloc(strlen(before) + strlen(path) + strlen(after) + 1, 1);
    sprintf(name, "%s%s%s", before, path, after);
    return name;
}

int video_possible(const char *path)
{
    char *temporary = video_name("", path, ".tmp");
    FILE *f;
    if (!video_find("ffmpeg")) {
        cli_fail("%s: needs ffmpeg, which is not on PATH: apt-get install ffmpeg; a .gif or .png works without it", path);
        free(temporary);
        return 0;
    }
    f = fopen(temporary, "wb");
    if (f) {
        fclose(f);
        remove(temporary);
    } else {
        cli_fail("%s: cannot be written: %s", temporary, strerror(errno));
    }
    free(temporary);
    return f != NULL;
}

/* the child: its own group, the pipe as standard input */
static void video_child(int in, const char *size, const char *rate, const char *file)
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (dup2(in, 0) == 0) {
        close(in);
        execlp("ffmpeg", "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-framerate", rate, "-i",
               "pipe:0", "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
               "-f", "mp4", file, (char *)NULL);
    }
    _exit(127);
}

video *video_open(const char *path, int width, int height, double rate)
{
    video *v = (video *)cli_alloc(1, sizeof *v);
    struct sigaction ignore;
    char size[32], rate_text[40], *file;
    int ends[2];
    v->path = cli_copy(path);
    v->temporary = video_name("", path, ".tmp");
    file = video_name("file:", v->temporary, "");
    v->size = 3 * (size_t)width * (size_t)height;
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate_text, sizeof rate_text, "%.9g", rate);
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &v->before);
    v->child = -1;
    if (pipe(ends) == 0) {
        v->pipe = ends[1];
        /* no other child process may keep the writing end open */
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        v->child = fork();
        if (v->child == 0)
            video_child(ends[0], size, rate_text, file);
        close(ends[0]);
        if (v->child < 0)
            close(ends[1]);
    }
    free(file);
    if (v->child > 0)
        return v;
    cli_fail("ffmpeg cannot be started: %s", strerror(errno));
    sigaction(SIGPIPE, &v->before, NULL);
    free(v->path);
    free(v->temporary);
    free(v);
    return NULL;
}

int video_write(video *v, const unsigned char *picture)
{
    size_t done = 0;
    while (done < v->size) {
        ssize_t n = write(v->pipe, picture + done, v->size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            cli_fail("ffmpeg stopped on %s", v->path);
            return 0;
        }
        done += (size_t)n;
    }
    return 1;
}

/* closes the pipe and waits; 1 when ffmpeg ended well */
static int video_end(video *v)
{
    int status = 0;
    pid_t got;
    close(v->pipe);
    do
        got = waitpid(v->child, &status, 0);
    while (got < 0 && errno == EINTR);
    sigaction(SIGPIPE, &v->before, NULL);
    return got == v->child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void video_free(video *v)
{
    free(v->path);
    free(v->temporary);
    free(v);
}

int video_close(video *v)
{
    int ok = video_end(v);
    if (!ok)
        cli_fail("ffmpeg failed on %s", v->path);
    else if (rename(v->temporary, v->path) != 0) {
        cli_fail("%s: cannot be written: %s", v->path, strerror(errno));
        ok = 0;
    }
    if (!ok)
        remove(v->temporary);
    video_free(v);
    return ok;
}

void video_discard(video *v)
{
    video_end(v);
    remove(v->temporary);
    video_free(v);
}
