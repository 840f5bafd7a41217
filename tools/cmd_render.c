/* cmd_render.c -- contact render: pictures and films of a stored run or of surfaces, as contact run --render draws them. */
#include "cli.h"
#include "play.h"
#include "render.h"
#include <stdlib.h>
#include <string.h>

typedef struct render_command {
    play play;
    render_options picture;
    long frame; /* the number in its name, -1: the last */
} render_command;

static int render_parse(render_command *c, int argc, char **argv)
{
    const char *v = NULL;
    int i, r;
    c->frame = -1;
    c->play.options.threads = 1;
    c->play.sets = (const char **)cli_alloc((size_t)argc, sizeof *c->play.sets);
    for (i = 1; i < argc; i++) {
        if ((r = render_option(&c->picture, argc, argv, &i)) != 0) {
            if (r < 0)
                return 0;
        } else if ((r = cli_option(argc, argv, &i, "--set", &v)) != 0) {
            if (r < 0)
                return 0;
            c->play.sets[c->play.n_sets++] = v;
        } else if ((r = cli_option(argc, argv, &i, "--frame", &v)) != 0) {
            if (r > 0 && !cli_integer(v, 0, 100000000, &c->frame))
                r = -1, cli_fail("render: --frame: expected the number of a frame, found '%s'", v);
            if (r < 0)
                return 0;
        } else if (argv[i][0] == '-')
            return cli_unknown_option("render", argv[i]), 0;
        else if (!c->play.path)
            c->play.path = argv[i];
        else if (!c->picture.path)
            c->picture.path = argv[i];
        else
            return cli_fail("render: expected DIR and FILE, found '%s' as well", argv[i]), 0;
    }
    if (!c->picture.path)
        cli_fail("render: expected DIR of a stored run and FILE for the picture");
    return c->picture.path != NULL;
}

static int render_refused(const render_command *c)
{
    size_t n = strlen(c->play.path);
    if (n > 5 && !strcmp(c->play.path + n - 5, ".json"))
        return cli_fail("render: %s is a scene: contact run %s --render %s", c->play.path, c->play.path, c->picture.path);
    if (c->picture.colour != LOOK_BODY && c->picture.colour != LOOK_VELOCITY)
        return cli_fail("render: --colour %s: stored frames have body and velocity; contact run SCENE.json --render has all",
                        look_colour_names[c->picture.colour]);
    return 0;
}

/* the frame of a picture, found by its number */
static int render_seek(render_command *c)
{
    play *p = &c->play;
    int i;
    for (i = 0; i < p->n_files; i++)
        if (c->frame < 0 ? i == p->n_files - 1 : play_number(p, i) == c->frame)
            /* by way of the one before it, which its velocity comes from */
            return (i == 0 || play_seek(p, i - 1)) && play_seek(p, i);
    cli_fail("render: --frame %ld: %s has frames from %ld to %ld", c->frame, p->path, play_number(p, 0), play_number(p, p->n_files - 1));
    return 0;
}

static int render_all(render_command *c)
{
    play *p = &c->play;
    double apart = p->n_files > 1 ? (double)(play_number(p, 1) - play_number(p, 0)) * p->step_seconds : p->step_seconds, start = p->time;
    render *r = render_create(&c->picture, p->has_scene ? &p->scene : NULL, &p->sim, apart);
    int ok = 1, more = 1;
    if (!r)
        return CLI_BAD_INPUT;
    if (render_wants_frames(r) && c->frame < 0)
        while (ok && more > 0) {
            ok = render_frame(r, &p->sim, p->time - start);
            more = ok ? play_step(p) : 0;
            ok = ok && more >= 0;
        }
    else
        ok = render_seek(c) && render_frame(r, &p->sim, 0);
    if (ok)
        return render_finish(r, &p->sim) ? CLI_DONE : CLI_FAILED;
    render_discard(r);
    return CLI_FAILED;
}

int cmd_render(int argc, char **argv)
{
    render_command *c = (render_command *)cli_alloc(1, sizeof *c);
    int code = CLI_BAD_INPUT;
    if (render_parse(c, argc, argv) && !render_refused(c) && render_possible(&c->picture) && play_open(&c->play))
        code = render_all(c);
    play_close(&c->play);
    free((void *)c->play.sets);
    free(c);
    return code;
}
