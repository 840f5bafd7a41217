/* cli.h -- shared by the files of the command line: exit codes, the commands, small helpers. */
#ifndef CLI_H
#define CLI_H

#include "../src/public/api.h"
#include <stddef.h>
#include <stdio.h>

enum { CLI_DONE = 0, CLI_BAD_INPUT = 1, CLI_FAILED = 2, CLI_BROKEN = 3, CLI_INTERRUPTED = 130 };

int cmd_run(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_ccd(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_scene(int argc, char **argv);
int cmd_sweep(int argc, char **argv);

/* cli_program -- how this program was called. */
const char *cli_program(void);

/* cli_alloc -- zeroed memory; without memory the program ends with a message. */
void *cli_alloc(size_t count, size_t size);
void *cli_grow(void *block, size_t count, size_t size);
char *cli_copy(const char *text);
/* cli_fail -- prints "contact: " and the text to stderr, returns CLI_BAD_INPUT. */
int cli_fail(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
/* cli_error_text -- the library's text of an error; without one that of the code. Into buffer. */
const char *cli_error_text(ct_code code, const ct_error_info *e, char *buffer, size_t size);
/* cli_help -- text of `contact COMMAND --help`; NULL: no such command. cli_help_codes -- the line of exit codes below it. */
const char *cli_help(const char *command);
const char *cli_help_codes(void);
/* cli_no_file -- refuses a file that cannot be opened: why (errno), and the name in its folder that is nearest. A folder is refused as one. Returns
   CLI_BAD_INPUT. */
int cli_no_file(const char *path, const char *what);
/* cli_mesh_read -- ct_mesh_read, but a pipe is refused with CT_ERR_FILE. */
ct_code cli_mesh_read(const char *path, ct_mesh *mesh, ct_error_info *e);
/* cli_surface -- triangles of a mesh with tets: faces that one tet has alone, and triangles that are no faces of tets; to free. */
int32_t *cli_surface(const ct_mesh *mesh, int *out_n);
/* cli_option -- 1 when argv[*i] is `name`; its value goes to *value and *i moves on. -1 when the value is missing. */
int cli_option(int argc, char **argv, int *i, const char *name, const char **value);
/* cli_unknown_option -- refuses an option, and names the nearest in the command's help; returns CLI_BAD_INPUT. */
int cli_unknown_option(const char *command, const char *option);
/* cli_integer -- a whole number in [lo, hi]; 0 when text is none. */
int cli_integer(const char *text, long lo, long hi, long *out);
/* cli_closest -- the word of a space-separated list that is nearest to `word` by edits, or NULL when none is near. Into buffer. */
const char *cli_closest(const char *word, const char *list, char *buffer, size_t size);

#endif /* CLI_H */
