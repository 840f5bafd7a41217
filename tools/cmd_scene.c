/* cmd_scene.c -- contact scene: reads scenes without running them, or prints the schema of scenes. */
#include "cli.h"
#include "scene.h"
#include "schema.h"
#include <stdlib.h>
#include <string.h>

static int scene_check(const char *file, const char *const *sets, int n_sets)
{
    scene s;
    if (!scene_read(file, sets, n_sets, &s))
        return CLI_BAD_INPUT;
    printf("%s: %s, %d bodies, %d joints\n", file, s.name, s.n_bodies, s.n_joints);
    scene_free(&s);
    return CLI_DONE;
}

int cmd_scene(int argc, char **argv)
{
    const char *set = NULL, **sets = (const char **)cli_alloc((size_t)argc, sizeof *sets);
    int i, r, n_sets = 0, n = 0, worst = CLI_DONE, code = CLI_DONE;
    for (i = 1; i < argc && code == CLI_DONE; i++) {
        if (!strcmp(argv[i], "--schema"))
            code = argc == 2 ? (schema_print(stdout) ? -1 : CLI_FAILED) : cli_fail("scene: --schema stands alone");
        else if ((r = cli_option(argc, argv, &i, "--set", &set)) != 0) {
            sets[n_sets++] = set;
            code = r < 0 ? CLI_BAD_INPUT : CLI_DONE;
        } else if (argv[i][0] == '-')
            code = cli_unknown_option("scene", argv[i]);
        else
            argv[++n] = argv[i];
    }
    if (code == CLI_DONE && n == 0)
        code = cli_fail("scene: expected SCENE.json, or --schema");
    for (i = 1; i <= n && code == CLI_DONE; i++)
        if (scene_check(argv[i], sets, n_sets) != CLI_DONE)
            worst = CLI_BAD_INPUT;
    free((void *)sets);
    return code == -1 ? CLI_DONE : code == CLI_DONE ? worst : code;
}
