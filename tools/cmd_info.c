/* cmd_info.c -- contact info [--json]: version, precision and options of this build. */
#include "../src/public/api.h"
#include "cli.h"
#include "output.h"
#include <string.h>

/* "a b c" as a JSON array */
static void info_words(FILE *f, const char *words)
{
    fputc('[', f);
    while (*words) {
        size_t n = strcspn(words, " ");
        fprintf(f, "\"%.*s\"", (int)n, words);
        words += n + (words[n] == ' ');
        if (*words)
            fputc(',', f);
    }
    fputc(']', f);
}

int cmd_info(int argc, char **argv)
{
    const ct_library_info *i = ct_library_info_get();
    int json = 0, k;
    for (k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--json") != 0)
            return cli_fail("info: unknown argument '%s'; expected --json", argv[k]);
        json = 1;
    }
    if (json) {
        printf("{\"version\":\"%d.%d.%d\",\"real_bits\":%d,\"simd\":\"%s\",\"deterministic\":%s,", i->version_major, i->version_minor,
               i->version_patch, i->real_bits, i->simd, i->deterministic ? "true" : "false");
        printf("\"with_files\":%s,\"with_threads\":%s,\"steppers\":", i->with_files ? "true" : "false", i->with_threads ? "true" : "false");
        info_words(stdout, i->steppers);
        fputs(",\"solvers\":", stdout);
        info_words(stdout, i->solvers);
        fputs("}\n", stdout);
        return CLI_DONE;
    }
    printf("contact.h %d.%d.%d\nreal      %d bits\nsimd      %s\nsame bits %s\n", i->version_major, i->version_minor, i->version_patch,
           i->real_bits, i->simd, i->deterministic ? "everywhere" : "no");
    printf("files     %s\nthreads   %s\nsteppers  %s\nsolvers   %s\n", i->with_files ? "yes" : "no",
           i->with_threads ? "yes" : "no", i->steppers, i->solvers);
    return CLI_DONE;
}
