/* contact.c -- the command line: contact run|view|render|init|import|scene|sweep|ccd|solve|check|info. Every command is a file cmd_*.c. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "mesh_in.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: contact run SCENE.json [--out DIR] [--steps N] [--stepper S] [--solver S] [--paper] [--threads N] [--check]\n"
    "                   [--frames obj|vtk|vtu|gltf|none] [--csv] [--every N] [--render FILE.png|.gif|.webp|.mp4] [--colour C]\n"
    "                   [--range X] [--edges] [--size WxH] [--dump-problems DIR] [--json] [--quiet] [--set KEY=VALUE]...\n"
    "       contact view SCENE.json|DIR|SURFACE      a window: runs a scene, or replays what run --out has stored\n"
    "       contact render DIR|SURFACE FILE.png|.gif|.webp|.mp4 [--frame N] [--colour C] [--range X] [--edges] [--size WxH]\n"
    "                   [--set KEY=VALUE]...\n"
    "       contact init MESH [--type T] [--scale S] [-o SCENE.json]   a scene for a mesh, and what is wrong with it\n"
    "       contact import FILE.txt [-o SCENE.json]      a scene like a text scene of IPC\n"
    "       contact scene SCENE.json... [--set KEY=VALUE]... | --schema\n"
    "       contact sweep SWEEP.json --out DIR [--case N | --merge | --list | --slurm]\n"
    "       contact ccd [--kind vf|ee] [--backward] FILE... [--json]\n"
    "       contact solve FILE... [--solver S|all|auto] [--tol T]\n"
    "                   [--time-limit S] [--dump DIR] [--trace FILE.csv] [--plain] [--paper] [--json]\n"
    "                                                problems: .cpb .lcp .blcp\n"
    "       contact check FILE...                    surfaces: .obj .msh .ply .stl .vtk .vtu .mesh .gltf .glb .node .ele\n"
    "       contact info [--json]\n"
    "contact COMMAND --help says what each option does, with an example\n"
    "exit codes: 0 done, 1 bad input, 2 failed, 3 a guarantee broke, 130 interrupted\n";

void *cli_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) {
        fputs("contact: out of memory\n", stderr);
        exit(CLI_FAILED);
    }
    return p;
}

void *cli_grow(void *block, size_t count, size_t size)
{
    void *p = count > (size_t)-1 / size ? NULL : realloc(block, count * size + !count);
    if (!p) {
        fputs("contact: out of memory\n", stderr);
        exit(CLI_FAILED);
    }
    return p;
}

char *cli_copy(const char *text)
{
    size_t n = strlen(text) + 1;
    return (char *)memcpy(cli_alloc(n, 1), text, n);
}

int cli_fail(const char *format, ...)
{
    va_list args;
    fputs("contact: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_BAD_INPUT;
}

const char *cli_error_text(ct_code code, const ct_error_info *e, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", e && e->code == code && e->text && *e->text ? e->text : ct_code_text(code));
    return buffer;
}

int cli_no_file(const char *path, const char *what)
{
    const char *slash = strrchr(path, '/'), *why = access(path, R_OK) != 0 ? strerror(errno) : "it cannot be read";
    char folder[1024], list[4096] = "", near[200];
    struct dirent *e;
    struct stat info;
    DIR *d;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return cli_fail("%s: is a folder, expected %s", path, what);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    d = opendir(folder);
    while (d && (e = readdir(d)) != NULL)
        if (strlen(list) + strlen(e->d_name) + 2 < sizeof list && !strchr(e->d_name, ' '))
            sprintf(list + strlen(list), "%s%s", *list ? " " : "", e->d_name);
    if (d)
        closedir(d);
    if (cli_closest(slash ? slash + 1 : path, list, near, sizeof near))
        return cli_fail("%s: cannot be opened: %s; is '%s' meant?", path, why, near);
    return cli_fail("%s: cannot be opened: %s; expected %s", path, why, what);
}

ct_code cli_mesh_read(const char *path, ct_mesh *mesh, ct_error_info *e)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISFIFO(info.st_mode))
        return mesh_in_read(path, mesh, e);
    memset(e, 0, sizeof *e);
    e->code = CT_ERR_FILE, e->text = "a pipe, which could block for ever; expected a file", e->element = -1;
    return e->code;
}

int cli_option(int argc, char **argv, int *i, const char *name, const char **value)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) == 0 && argv[*i][n] == '=') {
        *value = argv[*i] + n + 1;
        return 1;
    }
    if (strcmp(argv[*i], name) != 0)
        return 0;
    if (*i + 1 >= argc) {
        cli_fail("%s needs a value", name);
        return -1;
    }
    *value = argv[++*i];
    return 1;
}

int cli_integer(const char *text, long lo, long hi, long *out)
{
    char *end;
    long v = strtol(text, &end, 10);
    if (end == text || *end || v < lo || v > hi)
        return 0;
    *out = v;
    return 1;
}

/* number of edits between two short words: a character more, less or another, or two neighbours exchanged */
static int cli_edits(const char *a, size_t na, const char *b, size_t nb)
{
    int rows[3][64], i, j; /* of the last three i */
    if (na > 60 || nb > 60)
        return 99;
    for (i = 0; i <= (int)na; i++)
        for (j = 0; j <= (int)nb; j++) {
            int *row = rows[i % 3], *up = rows[(i + 2) % 3], best = i + j; /* all of both */
            if (i > 0 && j > 0) {
                best = up[j - 1] + (a[i - 1] != b[j - 1]);
                best = up[j] + 1 < best ? up[j] + 1 : best;
                best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && rows[(i + 1) % 3][j - 2] + 1 < best)
                best = rows[(i + 1) % 3][j - 2] + 1;
            row[j] = best;
        }
    return rows[na % 3][nb];
}

const char *cli_closest(const char *word, const char *list, char *buffer, size_t size)
{
    int best = 3;
    const char *found = NULL;
    size_t length = 0;
    while (*list) {
        size_t n = strcspn(list, " ");
        int e = cli_edits(word, strlen(word), list, n), letters = (int)(n - strspn(list, "-"));
        if (n && e < best && 2 * e <= letters) {
            best = e;
            found = list;
            length = n;
        }
        list += n + (list[n] == ' ');
    }
    if (!found || length + 1 > size)
        return NULL;
    memcpy(buffer, found, length);
    buffer[length] = '\0';
    return buffer;
}

static const char *cli_called;

const char *cli_program(void) { return cli_called; }

int cli_unknown_option(const char *command, const char *option)
{
    const char *p = cli_help(command);
    char list[600], word[64], near[64];
    size_t n = strcspn(option, "=");
    list[0] = '\0';
    snprintf(word, sizeof word, "%.*s", n < 60 ? (int)n : 60, option);
    while ((p = strstr(p, "  --")) != NULL) {
        p += 2;
        if (strlen(list) + 40 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", *list ? " " : "", (int)strcspn(p, " \n"), p);
    }
    if (cli_closest(word, list, near, sizeof near))
        return cli_fail("%s: unknown option '%s'; is '%s' meant?", command, option, near);
    return cli_fail("%s: unknown option '%s'; contact %s --help lists them", command, option, command);
}

/* contact COMMAND ... --help: 1 when it was asked for and printed */
static int main_help(int argc, char **argv)
{
    const char *text = cli_help(argv[1]);
    int i;
    for (i = 2; text && i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            printf("%s%s", text, cli_help_codes());
            return 1;
        }
    return 0;
}

static int main_unknown(const char *command)
{
    char near[16];
    if (cli_closest(command, "run view render init import scene sweep ccd solve check info help --help --version", near, sizeof near))
        cli_fail("unknown command '%s'; is '%s' meant?", command, near);
    else
        cli_fail("unknown command '%s'", command);
    fputs(usage, stderr);
    return CLI_BAD_INPUT;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", cmd_run}, {"view", cmd_view}, {"render", cmd_render}, {"ccd", cmd_ccd},
                  {"solve", cmd_solve}, {"check", cmd_check}, {"info", cmd_info}, {"init", cmd_init}, {"import", cmd_import},
                  {"scene", cmd_scene}, {"sweep", cmd_sweep}};
    size_t i;
    cli_called = argv[0];
    if (argc < 2) {
        fputs(usage, stderr);
        return CLI_BAD_INPUT;
    }
    if (argc > 2 && !strcmp(argv[1], "help") && cli_help(argv[2])) {
        printf("%s%s", cli_help(argv[2]), cli_help_codes());
        return CLI_DONE;
    }
    if (argc > 2 && !strcmp(argv[1], "help"))
        return main_unknown(argv[2]);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        fputs(usage, stdout);
        return CLI_DONE;
    }
    if (!strcmp(argv[1], "--version"))
        return cmd_info(0, NULL);
    if (main_help(argc, argv))
        return CLI_DONE;
    for (i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    return main_unknown(argv[1]);
}
