/* help.c -- the texts of `contact --help` and `contact COMMAND --help`: every option with an example. */
#include "cli.h"
#include <string.h>

/* options of pictures, with an example of each */
#define HELP_LOOK(command)                                                                                                                  \
    "  --colour C            what colours show: body (default), velocity, stress (von Mises), impulse of contacts, island\n"              \
    "                            contact " command " --colour velocity\n"                                                                    \
    "  --range X             the value at the red end of colours (m/s, Pa, N s), instead of the largest one\n"                            \
    "                            contact " command " --colour velocity --range 2\n"                                                        \
    "  --edges               draws the edges of triangles\n"                                                                              \
    "                            contact " command " --edges\n"                                                                            \
    "  --size WxH            pixels (default 1280x720; 640x360 for .gif and .webp)\n"                                                     \
    "                            contact " command " --size 1920x1080\n"

static const char help_run[] =
    "usage: contact run SCENE.json [options]\n"
    "Steps a scene (docs/scenes.md lists its keys) and prints a summary. No file is written without --out.\n"
    "\n"
    "  --out DIR             frames, stats.jsonl (one line for each step) and summary.json are written to DIR,\n"
    "                        which is created if it is missing; those of an earlier run in DIR are removed\n"
    "                            contact run examples/scenes/two_cubes.json --out /tmp/cubes\n"
    "  --set KEY=VALUE       a value of the scene, instead of what the file has; several are allowed. KEY as errors name it, VALUE as JSON;\n"
    "                        in quotes where it has brackets, which some shells read otherwise\n"
    "                        or a word\n"
    "                            contact run examples/scenes/two_cubes.json --set friction=0.1 --set 'bodies[0].material.young=2e5'\n"
    "  --steps N             number of steps, instead of the scene's duration\n"
    "                            contact run examples/scenes/slope.json --steps 100\n"
    "  --stepper S           the stepper instead of the scene's: cmr, dcd, barrier, layers, penalty, geometric or explicit\n"
    "                        (contact info lists what is built)\n"
    "                            contact run examples/scenes/two_cubes.json --stepper dcd\n"
    "  --solver S            the contact solver instead of the scene's: ica, auto, pgs, active_set, mprgp, interior,\n"
    "                        newton or admm (docs/solvers_worlds.md)\n"
    "                            contact run examples/scenes/two_cubes.json --solver pgs\n"
    "  --paper               the method as its paper prints it: Otaduy 2009 with stepper cmr and solver ica\n"
    "                        (docs/solvers_ica.md), Li 2015 with stepper dcd (docs/solvers_mprgp.md)\n"
    "                            contact run examples/scenes/slope.json --paper\n"
    "  --threads N           number of threads, 1 to 256 (default 1), at most one for each core is useful. The result has\n"
    "                        the same bits for every number\n"
    "                            contact run examples/scenes/curtain.json --threads 2\n"
    "  --check               tests for intersections after every step; the exit code is 3 if there is one\n"
    "                            contact run examples/scenes/overlap.json --check\n"
    "  --frames KIND         the format of frames in DIR (default obj; docs/files.md): obj, vtk (legacy, text), vtu (binary, with\n"
    "                        velocity, stress and contact impulse, and frames.pvd for ParaView), gltf (all frames in\n"
    "                        animation.glb), none\n"
    "                            contact run examples/scenes/curtain.json --out /tmp/curtain --frames vtu\n"
    "  --csv                 stats.csv beside stats.jsonl in DIR\n"
    "                            contact run examples/scenes/slope.json --out /tmp/slope --csv\n"
    "  --every N             number of steps between two frames (default 1)\n"
    "                            contact run examples/scenes/curtain.json --out /tmp/curtain --every 10\n"
    "  --render FILE         a picture of the last step (.png), or a film (.gif, .webp, or .mp4, which needs ffmpeg)\n"
    "                            contact run examples/scenes/pinch.json --render /tmp/pinch.png\n"
    "  --colour C            of pictures: body, velocity, stress, impulse or island\n"
    "  --range X\n"
    "  --edges\n"
    "  --size WxH            as for contact render\n"
    "                            contact run examples/scenes/pinch.json --render /tmp/p.gif --colour velocity --range 2 --edges --size 640x360\n"
    "  --dump-problems DIR   the contact problem of each step is written to DIR (step_00001.cpb, ...), for contact solve;\n"
    "                        those of an earlier run in DIR are removed\n"
    "                            contact run examples/scenes/two_cubes.json --dump-problems /tmp/problems\n"
    "  --json                prints the summary as JSON\n"
    "                            contact run examples/scenes/slope.json --json\n"
    "  --quiet               prints no progress bar, and with --out no summary\n"
    "                            contact run examples/scenes/slope.json --out /tmp/slope --quiet\n";

static const char help_view[] =
    "usage: contact view SCENE.json|DIR|SURFACE [options]\n"
    "Opens a window (SDL2, OpenGL 3.3). A scene runs, and the mouse pulls its bodies. DIR has the frames of contact run --out DIR, or OBJ\n"
    "files, which replay. SURFACE is a file that contact check reads.\n"
    "\n"
    "keys: space run or pause, . one step, , one frame back, r from the start, c colours, e edges, i contacts and impulses, t text,\n"
    "f the camera as at first, h help, q quit. Left mouse pulls a body, or turns the camera, as the right one does; the middle one, or\n"
    "shift, moves it; the wheel comes nearer\n"
    "\n" HELP_LOOK("view examples/scenes/two_cubes.json") "  --paused              waits for a key\n"
    "                            contact view examples/scenes/pinch.json --paused\n"
    "  --set KEY=VALUE\n"
    "  --stepper S\n"
    "  --solver S\n"
    "  --threads N           as for contact run\n"
    "                            contact view examples/scenes/slope.json --set friction=0.1 --stepper cmr --solver ica --threads 2\n"
    "  --script FILE         reads what hands would do from a file, a line each: key K, press X Y [BUTTON], move X Y, release X Y,\n"
    "                        wheel N; frames N draws N pictures, of a step each; shot FILE.png; tell prints the state as JSON\n"
    "                            contact view examples/scenes/slope.json --script hands.txt\n";

static const char help_render[] =
    "usage: contact render DIR|SURFACE FILE [options]\n"
    "Draws stored frames as contact run --render would: DIR as contact run --out DIR left it, a folder of OBJ files, or one surface. FILE\n"
    "is a picture (.png) of the last frame, or a film of all (.gif, .webp, or .mp4, which needs ffmpeg).\n"
    "\n"
    "  --frame N             the number of the frame that a picture shows\n"
    "                            contact render /tmp/cubes /tmp/cubes.png --frame 50\n"
    "  --set KEY=VALUE       a value of the run's scene, such as its camera\n"
    "                            contact render /tmp/cubes /tmp/cubes.gif --set 'output.camera.eye=[0,1,3]'\n"
    HELP_LOOK("render /tmp/cubes /tmp/cubes.gif");

static const char help_ccd[] =
    "usage: contact ccd [options] FILE...\n"
    "Computes the times of impact of the queries in each FILE, compares them with the exact ones (FILE.ref), and\n"
    "measures the time of a query.\n"
    "\n"
    "  --kind vf|ee          vertex-face or edge-edge queries (default: the name of the file's folder)\n"
    "                            contact ccd --kind ee queries/a.csv\n"
    "  --backward            looks from the end of each motion back to its start, for the last time of contact\n"
    "                            contact ccd --backward --kind vf queries/a.csv\n"
    "  --json                prints a JSON object for each file\n"
    "                            contact ccd --json vf/a.csv\n";

static const char help_solve[] =
    "usage: contact solve FILE... [options]\n"
    "Solves the contact problems in files (.cpb, .lcp, .blcp). Prints a line for each file and solver: outcome, iterations,\n"
    "CPU seconds, residual, and the largest difference from the solution in the file. For an infeasible problem a second\n"
    "line describes the proof: its size, how far it is violated, and its kind.\n"
    "\n"
    "  --solver S|all|auto   one solver (contact info lists them), all of them, or the library's choice (default auto)\n"
    "                            contact solve problem.cpb --solver all\n"
    "  --tol T               largest residual of a solution (default 1e-8)\n"
    "                            contact solve problem.cpb --tol 1e-6\n"
    "  --time-limit S        CPU seconds after which a solve is stopped\n"
    "                            contact solve problem.cpb --solver all --time-limit 10\n"
    "  --dump DIR            x (unknowns) and r (multipliers) of each solve are written to DIR as text\n"
    "                            contact solve problem.cpb --dump /tmp/answers\n"
    "  --trace FILE.csv      writes a line for each iteration: seconds, residual, objective\n"
    "                            contact solve problem.cpb --trace /tmp/trace.csv\n"
    "  --plain               ICA without its acceleration\n"
    "                            contact solve problem.cpb --solver ica --plain\n"
    "  --paper               the method as its paper prints it: ICA with the paper's own end (`budget` if the residual is\n"
    "                        above the tolerance), or algorithm 3 of MPRGP's\n"
    "                            contact solve problem.cpb --solver mprgp --paper\n"
    "  --json                prints a JSON object for each solve\n"
    "                            contact solve problem.cpb --json\n";

static const char help_check[] = "usage: contact check FILE...\n"
                                 "Reads surfaces (.obj .msh .ply .stl .vtk .vtu .mesh .meshb .gltf .glb .node .ele) and tests them for\n"
                                 "intersections; the exit code is 3 if there is one.\n"
                                 "\n"
                                 "                            contact check /tmp/cubes/frame_00100.obj\n";

static const char help_init[] =
    "usage: contact init MESH [--type T] [--scale S] [-o SCENE.json]\n"
    "Prints a scene in which the mesh falls on a floor: a closed surface becomes a soft body with a lattice of tets\n"
    "inside, an open one a cloth, tets a soft body, segments a rod. Says on stderr what it is, and warns of repeated\n"
    "vertices, borders, inverted tets, triangles that are turned or intersect, and of units.\n"
    "\n"
    "  -o SCENE.json         writes the scene there, with the mesh's path from its folder. Without -o it is printed with the path as\n"
    "                        given: redirected with > it works in the folder where the command runs\n"
    "                            contact init tests/data/gmsh.mesh -o /tmp/box.json\n"
    "\n"
    "  --type T              soft, cloth, rod, points, rigid, static or kinematic, instead of what the elements tell\n"
    "                            contact init tests/data/gmsh.mesh --type rigid -o /tmp/box.json\n"
    "  --scale S             metres in a unit of the file: 0.001 where it is in mm. All of the scene follows\n"
    "                            contact init tests/data/gmsh.mesh --scale 0.001 -o /tmp/box.json\n";

static const char help_import[] =
    "usage: contact import FILE.txt [-o SCENE.json]\n"
    "Writes a scene like one of IPC's text scenes: shapes, materials, boxes of fixed vertices, planes and colliders, with\n"
    "stepper barrier and IPC's distances. Keywords without a counterpart are named on stderr with their lines. Meshes are\n"
    "looked for from the folder of FILE.txt, then from those above it. docs/porting.md lists the keywords.\n"
    "\n"
    "  -o SCENE.json         writes the scene there, with paths of meshes from its folder; without -o it is printed\n"
    "                            contact import 2cubesFall.txt -o cubes.json\n";

static const char help_scene[] = "usage: contact scene SCENE.json... [--set KEY=VALUE]...\n"
                                 "       contact scene --schema\n"
                                 "Reads scenes without running them; the exit code is 1 if one of them has an error. Meshes are not read.\n"
                                 "\n"
                                 "  --set KEY=VALUE       as for contact run\n"
                                 "                            contact scene examples/scenes/slope.json --set friction=0.1\n"
                                 "  --schema              prints the JSON Schema (draft 7) of scenes, for editors\n"
                                 "                            contact scene --schema\n";

static const char help_sweep[] =
    "usage: contact sweep SWEEP.json --out DIR [--case N | --merge | --list | --slurm]\n"
    "Runs a scene for all combinations of some values. The result of each case goes to a file in DIR, and is not computed\n"
    "again; table.csv has a line for each. docs/files.md describes SWEEP.json. Alone it runs all cases, then merges; under\n"
    "mpirun or srun each process runs its share.\n"
    "\n"
    "  --out DIR             where results are, and go\n"
    "                            contact sweep cone.json --out /tmp/cone\n"
    "  --case N              runs this case alone\n"
    "                            contact sweep cone.json --out /tmp/cone --case 17\n"
    "  --merge               writes table.csv from the results\n"
    "                            mpirun -n 2 contact sweep cone.json --out /tmp/cone; contact sweep cone.json --out /tmp/cone --merge\n"
    "  --list                prints a command for each case\n"
    "                            contact sweep cone.json --out /tmp/cone --list | parallel\n"
    "  --slurm               prints a script for a Slurm array\n"
    "                            contact sweep cone.json --out /tmp/cone --slurm > cone.sh; sbatch cone.sh\n";

static const char help_info[] = "usage: contact info [options]\n"
                                "Prints the version, the precision, the SIMD path, and which steppers and solvers are built.\n"
                                "\n"
                                "  --json                prints the same as JSON\n"
                                "                            contact info --json\n";

static const char help_codes[] = "\nexit codes: 0 done, 1 bad input, 2 failed, 3 a guarantee broke, 130 interrupted\n";

const char *cli_help(const char *command)
{
    static const struct {
        const char *name, *text;
    } texts[] = {{"run", help_run}, {"view", help_view}, {"render", help_render}, {"ccd", help_ccd}, {"solve", help_solve}, {"check", help_check},
               {"info", help_info}, {"init", help_init}, {"import", help_import}, {"scene", help_scene}, {"sweep", help_sweep}};
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(command, texts[i].name))
            return texts[i].text;
    return NULL;
}

const char *cli_help_codes(void) { return help_codes; }
