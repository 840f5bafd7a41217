/* help.c -- the texts of `contact --help` and `contact COMMAND --help`: every option with an example. */
#include "cli.h"
#include <string.h>

static const char help_run[] =
    "usage: contact run SCENE.json [options]\n"
    "Steps a scene (docs/scenes.md) and prints a summary. Without --out nothing is written.\n"
    "\n"
    "  --out DIR             writes frames, stats.jsonl (a line a step) and summary.json to DIR, which is made\n"
    "                            contact run examples/scenes/two_cubes.json --out /tmp/cubes\n"
    "  --steps N             N steps instead of the scene's duration\n"
    "                            contact run examples/scenes/slope.json --steps 100\n"
    "  --stepper S           cmr, dcd or barrier instead of the scene's (contact info lists what is built)\n"
    "                            contact run examples/scenes/two_cubes.json --stepper dcd\n"
    "  --solver S            the constrained solver instead of the scene's: ica, auto, pgs, ...\n"
    "                            contact run examples/scenes/two_cubes.json --solver pgs\n"
    "  --paper               steps and solves of Otaduy 2009 as printed (docs/solvers_ica.md), with stepper cmr and solver ica; of Li 2015\n"
    "                        (docs/solvers_mprgp.md) with stepper dcd\n"
    "                            contact run examples/scenes/slope.json --paper\n"
    "  --threads N           N threads, 1 to 256 (default 1); the result has the same bits. No more than the machine has cores\n"
    "                            contact run examples/scenes/curtain.json --threads 2\n"
    "  --check               tests for intersections after every step; some end with exit code 3\n"
    "                            contact run examples/scenes/overlap.json --check\n"
    "  --frames obj|vtk|none the format of frames in DIR (default obj)\n"
    "                            contact run examples/scenes/curtain.json --out /tmp/curtain --frames vtk\n"
    "  --every N             a frame every N steps (default 1)\n"
    "                            contact run examples/scenes/curtain.json --out /tmp/curtain --every 10\n"
    "  --render FILE         a picture of the end (.png), or a film (.mp4, needs ffmpeg)\n"
    "                            contact run examples/scenes/pinch.json --render /tmp/pinch.png\n"
    "  --dump-problems DIR   writes the contact problem of each step as step_00001.cpb, for contact solve\n"
    "                            contact run examples/scenes/two_cubes.json --dump-problems /tmp/problems\n"
    "  --json                the summary as JSON\n"
    "                            contact run examples/scenes/slope.json --json\n"
    "  --quiet               no progress bar, and with --out no summary\n"
    "                            contact run examples/scenes/slope.json --out /tmp/slope --quiet\n";

static const char help_ccd[] =
    "usage: contact ccd [options] FILE...\n"
    "Times of impact of the queries in FILEs, counted against exact ones (FILE.ref), and their cost.\n"
    "\n"
    "  --kind vf|ee          vertex-face or edge-edge; default: the parent folder's name\n"
    "                            contact ccd --kind ee queries/a.csv\n"
    "  --backward            runs the motions from their end to their start: the last time of contact\n"
    "                            contact ccd --backward --kind vf queries/a.csv\n"
    "  --json                a JSON object a file\n"
    "                            contact ccd --json vf/a.csv\n";

static const char help_solve[] =
    "usage: contact solve FILE... [options]\n"
    "Contact problems of files (.cpb, .lcp, .blcp). A line a file and solver: outcome, iterations, seconds, what the judge says, largest "
    "difference to the\n"
    "file's reference. An infeasible one is followed by its certificate: a line with its size, what it violates, and its kind.\n"
    "\n"
    "  --solver S|all|auto   one solver, all that are built, or the library's choice (default auto)\n"
    "                            contact solve problem.cpb --solver all\n"
    "  --tol T               tolerance of the judge (default 1e-8)\n"
    "                            contact solve problem.cpb --tol 1e-6\n"
    "  --time-limit S        seconds of CPU time a solve\n"
    "                            contact solve problem.cpb --solver all --time-limit 10\n"
    "  --dump DIR            writes x and r of each solve as text\n"
    "                            contact solve problem.cpb --dump /tmp/answers\n"
    "  --trace FILE.csv      writes a line for each iteration, with what the judge says of it\n"
    "                            contact solve problem.cpb --trace /tmp/trace.csv\n"
    "  --plain               ICA without acceleration\n"
    "                            contact solve problem.cpb --solver ica --plain\n"
    "  --paper               ICA as printed, ended by the paper's rule: above the tolerance it is `budget`; MPRGP: algorithm 3 as printed\n"
    "                            contact solve problem.cpb --solver mprgp --paper\n"
    "  --json                a JSON object a solve\n"
    "                            contact solve problem.cpb --json\n";

static const char help_check[] = "usage: contact check FILE...\n"
                                 "Reads surfaces (.obj .msh .ply .stl .vtk .node .ele) and tests them for intersections; some end with exit code 3.\n"
                                 "\n"
                                 "                            contact check /tmp/cubes/frame_00100.obj\n";

static const char help_info[] = "usage: contact info [options]\n"
                                "Version, precision, SIMD, and which steppers and solvers are built.\n"
                                "\n"
                                "  --json                as JSON\n"
                                "                            contact info --json\n";

static const char help_codes[] = "\nexit codes: 0 done, 1 bad input, 2 failed, 3 a guarantee broke, 130 interrupted\n";

const char *cli_help(const char *command)
{
    static const struct {
        const char *name, *text;
    } texts[] = {{"run", help_run}, {"ccd", help_ccd}, {"solve", help_solve}, {"check", help_check}, {"info", help_info}};
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(command, texts[i].name))
            return texts[i].text;
    return NULL;
}

const char *cli_help_codes(void) { return help_codes; }
