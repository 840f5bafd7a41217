/* test_cli.c -- build/contact on scenes with one error each: exit code 1, and a message that names the file, the place in it and the
   element. Scenes with intersecting starts name the pairs and run. Everything is written to a folder of its own. The environment variable
   CONTACT_TOOL names another program to test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/contact_test_cli_XXXXXX";
static char tool[1024];

/* two tets that share a face, with the line of the third node and the nodes of the second tet as given */
#define MESH(node3, tet2)                                                                                                                  \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 " node3 "\n4 0 0 1\n5 1 1 1\n$EndNodes\n"                        \
    "$Elements\n2\n1 4 2 0 0 1 2 3 4\n2 4 2 0 0 " tet2 "\n$EndElements\n"
#define MATERIAL "\"material\":{\"model\":\"neohookean\",\"young\":1e5,\"poisson\":0.4,\"density\":1000}"

static void write_file(const char *name, const char *text)
{
    char path[1100];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* a scene of one body; `keys` go to the scene, `body` to the body */
static void write_scene(const char *name, const char *keys, const char *mesh, const char *body)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\n \"name\":\"t\", %s \"duration\":0.05,\n \"bodies\":[\n  {\"name\":\"jelly\",\"type\":\"soft\",\"mesh\":\"%s\",%s%s}\n ]\n}\n",
        keys, mesh, MATERIAL, body);
    write_file(name, text);
}

/* exit code; stderr and stdout go to `out` */
static int call(const char *arguments, const char *file, char *out, size_t size)
{
    char command[3000];
    size_t n;
    int status;
    FILE *p;
    snprintf(command, sizeof command, "%s %s %s/%s 2>&1", tool, arguments, folder, file);
    p = popen(command, "r");
    assert_non_null(p);
    n = fread(out, 1, size - 1, p);
    out[n] = '\0';
    status = pclose(p);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* `contact run` of the scene ends with 1, and its message has all of the words, which are separated by | */
static void refuses(const char *scene, const char *words)
{
    char out[4096], word[200];
    int code = call("run --quiet --steps 2", scene, out, sizeof out);
    const char *p = words;
    if (code != 1)
        print_message("%s: exit %d: %s\n", scene, code, out);
    assert_int_equal(code, 1);
    while (*p) {
        size_t n = strcspn(p, "|");
        memcpy(word, p, n);
        word[n] = '\0';
        if (!strstr(out, word))
            print_message("%s: the message does not say '%s': %s\n", scene, word, out);
        assert_non_null(strstr(out, word));
        p += n + (p[n] == '|');
    }
}

static int setup(void **state)
{
    const char *t = getenv("CONTACT_TOOL");
    (void)state;
    snprintf(tool, sizeof tool, "%s", t ? t : "build/contact");
    if (!mkdtemp(folder))
        return -1;
    write_file("good.msh", MESH("0 1 0", "4 2 3 5"));
    return 0;
}

static int teardown(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void need_tool(void)
{
    if (access(tool, X_OK) != 0) {
        print_message("%s is missing\n", tool);
        skip();
    }
}

static void good_scenes_run(void **state)
{
    char out[4096];
    int code;
    (void)state;
    need_tool();
    write_scene("good.json", "\"dt\":0.01,", "good.msh", "");
    code = call("run --check --json", "good.json", out, sizeof out);
    if (code != 0)
        print_message("%s", out);
    assert_int_equal(code, 0);
    assert_non_null(strstr(out, "\"steps\":5"));
    assert_non_null(strstr(out, "\"intersections\":0"));
    assert_null(strstr(out, "nan"));
    code = call("run --check --json --stepper barrier", "good.json", out, sizeof out);
    assert_int_equal(code, 0);
    assert_non_null(strstr(out, "\"intersections\":0"));
    /* a stepper that is not known is named */
    code = call("run --stepper explict", "good.json", out, sizeof out);
    assert_int_equal(code, 1);
    assert_non_null(strstr(out, "explict"));
    code = call("run --steps -1", "good.json", out, sizeof out);
    assert_int_equal(code, 1);
    code = call("run --no-such-option", "good.json", out, sizeof out);
    assert_int_equal(code, 1);
    assert_non_null(strstr(out, "--no-such-option"));
    code = call("run", "missing.json", out, sizeof out);
    assert_int_equal(code, 1);
    assert_non_null(strstr(out, "missing.json"));
}

static void broken_scenes_name_the_place(void **state)
{
    (void)state;
    need_tool();
    write_scene("key.json", "\"dt\":0.01,", "good.msh", ",\"colour\":1");
    refuses("key.json", "key.json|bodies[0].colour|unknown");
    write_scene("key2.json", "\"dt\":0.01,\"thicknes\":1,", "good.msh", "");
    refuses("key2.json", "key2.json|thicknes|unknown");
    write_scene("dt0.json", "\"dt\":0,", "good.msh", "");
    refuses("dt0.json", "dt0.json|dt|> 0|found 0");
    write_scene("dt_minus.json", "\"dt\":-0.5,", "good.msh", "");
    refuses("dt_minus.json", "dt_minus.json|dt|found -0.5");
    write_scene("dt_nan.json", "\"dt\":NaN,", "good.msh", "");
    refuses("dt_nan.json", "dt_nan.json|line 2|not JSON");
    write_scene("dt_huge.json", "\"dt\":1e999,", "good.msh", "");
    refuses("dt_huge.json", "dt_huge.json|dt");
    write_scene("dt_text.json", "\"dt\":\"fast\",", "good.msh", "");
    refuses("dt_text.json", "dt_text.json|dt|number");
    write_file("cut.json", "{\"name\":\"t\",\n \"dt\":0.01,\n \"bodies\":[{\"name\":");
    refuses("cut.json", "cut.json|line 3");
    write_file("none.json", "{\"name\":\"t\",\"dt\":0.01,\"duration\":1,\"bodies\":[]}");
    refuses("none.json", "none.json|bodies|at least one body");
    write_scene("velocity.json", "\"dt\":0.01,", "good.msh", ",\"velocity\":[0,1]");
    refuses("velocity.json", "velocity.json|bodies[0].velocity|3");
    write_scene("type.json", "\"dt\":0.01,", "good.msh", ",\"friction\":-1");
    refuses("type.json", "type.json|bodies[0].friction");
}

static void broken_meshes_name_line_and_element(void **state)
{
    (void)state;
    need_tool();
    write_scene("missing_mesh.json", "\"dt\":0.01,", "nowhere.msh", "");
    refuses("missing_mesh.json", "missing_mesh.json|bodies[0]|nowhere.msh|cannot open");
    write_file("nan.msh", MESH("0 nan 0", "4 2 3 5"));
    write_scene("nan.json", "\"dt\":0.01,", "nan.msh", "");
    refuses("nan.json", "nan.json|bodies[0]|nan.msh|line 8");
    write_file("range.msh", MESH("0 1 0", "4 2 3 9"));
    write_scene("range.json", "\"dt\":0.01,", "range.msh", "");
    refuses("range.json", "range.json|bodies[0]|range.msh|line 15");
    write_file("cut.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0");
    write_scene("cut_mesh.json", "\"dt\":0.01,", "cut.msh", "");
    refuses("cut_mesh.json", "cut_mesh.json|bodies[0]|cut.msh|line 7");
    write_file("cut2.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n$Elements\n9\n1 4 2 0 0 1 2\n");
    write_scene("cut2.json", "\"dt\":0.01,", "cut2.msh", "");
    refuses("cut2.json", "cut2.json|cut2.msh|line 11");
    write_file("empty.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n");
    write_scene("empty.json", "\"dt\":0.01,", "empty.msh", "");
    refuses("empty.json", "empty.json|bodies[0]|empty.msh");
    /* the second tet turned inside out: the message names the body and tet 1 (from 0) */
    write_file("flip.msh", MESH("0 1 0", "2 4 3 5"));
    write_scene("flip.json", "\"dt\":0.01,", "flip.msh", "");
    refuses("flip.json", "flip.json|bodies[0] \"jelly\"|(tet 1, volume -");
    /* a triangle without area, named by its number */
    write_file("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nf 1 2 4\nf 1 2 3\n");
    write_file(
        "flat.json",
        "{\"name\":\"t\",\"dt\":0.01,\"duration\":1,\"bodies\":[{\"name\":\"silk\",\"type\":\"cloth\",\"mesh\":\"flat.obj\","
        "\"material\":{\"model\":\"membrane\",\"young\":1e5,\"poisson\":0.3,\"thickness\":1e-3,\"bending\":1e-5,\"areal_density\":0.2}}]}");
    refuses("flat.json", "flat.json|bodies[0] \"silk\"|(triangle 1, area 0)");
    /* natural twist beyond half a turn a segment */
    write_file("hair.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2\nl 2 3\n");
    write_file("hair.json", "{\"name\":\"t\",\"dt\":0.01,\"duration\":1,\"bodies\":[{\"name\":\"hair\",\"type\":\"rod\",\"mesh\":\"hair.obj\","
                            "\"material\":{\"radius\":0.01,\"young\":1e6,\"density\":1000,\"twist\":185}}]}");
    refuses("hair.json", "hair.json|bodies[0] \"hair\"|twist|segment 0");
    /* a pinned vertex that is not there */
    write_scene("fix.json", "\"dt\":0.01,", "good.msh", ",\"fix\":[{\"vertices\":[0,7]}]");
    refuses("fix.json", "fix.json|bodies[0].fix[0]|7");
    /* a triangle surface for a soft body */
    write_scene("surface.json", "\"dt\":0.01,", "flat.obj", "");
    refuses("surface.json", "surface.json|bodies[0]|tet");
    write_scene("filter.json", "\"dt\":0.01,", "good.msh", ",\"filter\":{\"layer\":1}");
    refuses("filter.json", "filter.json|bodies[0].filter|layer");
    write_scene("bits.json", "\"dt\":0.01,", "good.msh", ",\"filter\":{\"mask\":1.5}");
    refuses("bits.json", "bits.json|bodies[0].filter|mask|whole");
    write_scene("own.json", "\"dt\":0.01,", "good.msh", ",\"self_collision\":2");
    refuses("own.json", "own.json|bodies[0].self_collision|true or false");
    write_scene("belt.json", "\"dt\":0.01,", "good.msh", ",\"surface_velocity\":[1,0,0]");
    refuses("belt.json", "belt.json|bodies[0]|static and kinematic");
    write_scene("sleep.json", "\"sleep_time\":-1,\"dt\":0.01,", "good.msh", "");
    refuses("sleep.json", "sleep.json|sleep_time|-1");
    write_scene("push.json", "\"stepper\":\"layers\",\"dt\":0.01,", "good.msh", ",\"force\":[1,0,0]");
    refuses("push.json", "push.json|bodies[0]|CT_STEPPER_LAYERS");
    write_scene("sensor.json", "\"dt\":0.01,", "good.msh", ",\"sensor\":1");
    refuses("sensor.json", "sensor.json|bodies[0].sensor|true or false");
}

static void intersecting_starts_run_and_are_named(void **state)
{
    static const char *const filters[] = {"\"category\":2,\"mask\":4", "\"mask\":0", "\"group\":-3"};
    char out[4096], text[2048];
    int i;
    int code;
    (void)state;
    need_tool();
    write_file("two.json", "{\"name\":\"t\",\"dt\":0.01,\"duration\":1,\"bodies\":["
                           "{\"name\":\"jelly\",\"type\":\"soft\",\"mesh\":\"good.msh\"," MATERIAL "},"
                           "{\"name\":\"pudding\",\"type\":\"soft\",\"mesh\":\"good.msh\"," MATERIAL
                           ",\"transform\":[{\"translate\":[0.2,0.1,0.15]}]}]}");
    /* the exit code follows from the end of the run: still intersecting after three steps, apart after a second */
    code = call("run --steps 3 --check", "two.json", out, sizeof out);
    assert_int_equal(code, 3);
    code = call("run --check", "two.json", out, sizeof out);
    assert_int_equal(code, 0);
    assert_non_null(strstr(out, "intersect at the start"));
    assert_non_null(strstr(out, "jelly"));
    assert_non_null(strstr(out, "pudding"));
    /* bodies whose filters keep them apart do not intersect */
    for (i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "{\"name\":\"t\",\"dt\":0.01,\"duration\":1,\"bodies\":["
                           "{\"name\":\"jelly\",\"type\":\"soft\",\"mesh\":\"good.msh\",\"filter\":{%s},\"self_collision\":false," MATERIAL "},"
                           "{\"name\":\"pudding\",\"type\":\"soft\",\"mesh\":\"good.msh\",\"filter\":{%s}," MATERIAL
                           ",\"transform\":[{\"translate\":[0.2,0.1,0.15]}]}]}", filters[i], filters[i]);
        write_file("filters.json", text);
        assert_int_equal(call("run --steps 3 --check", "filters.json", out, sizeof out), 0);
        assert_null(strstr(out, "intersect at the start"));
    }
}

/* `contact solve` of a text; the exit code and a word of what is printed */
static void solves(const char *text, const char *options, int code, const char *word)
{
    char out[4096], arguments[200];
    int got;
    write_file("one.lcp", text);
    snprintf(arguments, sizeof arguments, "solve %s", options);
    got = call(arguments, "one.lcp", out, sizeof out);
    if (got != code || !strstr(out, word))
        print_message("%s%s: exit %d: %s\n", text, options, got, out);
    assert_int_equal(got, code);
    assert_non_null(strstr(out, word));
    assert_true(!strstr(out, "nan") && !strstr(out, "inf,") && !strstr(out, "null,\"gap"));
}

static void problems_solve(void **state)
{
    (void)state;
    solves("n 2\nM 2 1 1 2\nq -5 -6\n", "", 0, "solved");
    solves("n 2\nM 2 1 1 2\nq -5 -6\n", "--json --solver all", 0, "\"solver\":\"pgs\"");
    solves("n 2\nM 2 1 1 2\nq -5 -6\n", "--json --solver newton", 2, "not_applicable");
    solves("n 1\nM -1\nq -1\n", "", 0, "infeasible"); /* solved with a proof, and the file does not expect otherwise */
    solves("n 1\nexpect infeasible\nM -1\nq -1\n", "", 0, "infeasible");
    solves("n 1\nexpect solution\nM -1\nq -1\n", "", 2, "infeasible");
    solves("n 1\nM 1\nq -1\n", "--tol 0", 1, "--tol");
    solves("n 1\nM 1\nq -1\n", "--time-limit -1", 1, "--time-limit");
    solves("n 1\nM 1\nq -1\n", "--solver magic", 1, "magic");
    solves("n 1\nM 1\nq -1\n", "--solver ica", 2, "not_applicable");
    solves("n 1\nM 1\nq -1\n", "--solver geometric_cg", 1, "geometric_cg");
    solves("n 1\nM 1\nq x\n", "", 1, "line 3");
    solves("n 1\nM 1\n", "", 1, "length");
}

/* A named subset of the data folder, by AUTO and by solvers of each kind: to 1e-8 by build/contact, to 1e-4 by build/contact32 */
static void problems_in_both_precisions(void **state)
{
    static const char *const cases[] = {
        "auto qp/vf_cpl_3k.cpb qp/quasi_3k.cpb qp/redundant_3k.cpb mm/DUAL1.cpb mm/HS35.cpb",
        "auto fc/G_fem_vf_1k.cpb fc/G_fem_corner_1k.cpb fc/L_BoxesStack_fclibtest.cpb fc/G_Box_Stacks-i0122-82-5.cpb",
        "auto lcp/rigid_box5_stack.lcp lcp/pmat_nonsym_64.lcp lcp/boxed_spd_40.blcp lcp/sico_mmc.lcp",
        "interior qp/stiff_3k.cpb qp/infeas_3k.cpb mm/YAO.cpb mm/MOSARQP2.cpb fc/L_OneObject-i1028-138.cpb",
        "active_set qp/vf_cpl_3k.cpb qp/slab_cpl_3k.cpb mm/HS21.cpb",
        "mprgp qp/vf_dec_3k.cpb qp/vf_cpl_3k.cpb lcp/psd_rank6_20.lcp",
        "ca qp/slab_cpl_3k.cpb qp/sliver_3k.cpb qp/INFEASIBLE_3k.cpb",
        "newton fc/G_fem_stick_2k.cpb fc/L_OneObject-i100000-316.cpb",
        "admm fc/G_fem_vf_1k.cpb fc/L_GFC3D_TwoRods1-condensed.cpb"};
    const char *data = getenv("CONTACT_DATA");
    char command[4000], out[16384], root[1024], one[200];
    int pass, k;
    (void)state;
    snprintf(root, sizeof root, "%s/problems", data ? data : "../shared/data");
    if (access(root, R_OK) != 0) {
        print_message("missing: %s (CONTACT_DATA)\n", root);
        skip();
    }
    for (pass = 0; pass < 2; pass++) {
        if (pass && access("build/contact32", X_OK) != 0) {
            print_message("missing: build/contact32\n");
            skip();
        }
        for (k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
            const char *at = cases[k] + strcspn(cases[k], " ");
            size_t n = (size_t)snprintf(command, sizeof command, "%s solve --tol %s --time-limit 20 --solver %.*s",
                                        pass ? "build/contact32" : tool, pass ? "1e-4" : "1e-8", (int)(at - cases[k]), cases[k]);
            FILE *p;
            int status;
            while (sscanf(at, " %199s", one) == 1) {
                n += (size_t)snprintf(command + n, sizeof command - n, " %s/%s", root, one);
                at = strstr(at, one) + strlen(one);
            }
            p = popen(command, "r");
            assert_non_null(p);
            n = fread(out, 1, sizeof out - 1, p), out[n] = 0;
            status = pclose(p);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                fail_msg("%s\n%s", command, out);
        }
    }
}

/* exit code of a shell line in the folder, $T the program; what it says in `out` */
static int shell(const char *line, char *out, size_t size)
{
    char command[3000];
    size_t n;
    int status;
    FILE *p;
    snprintf(command, sizeof command, "T=%s; case $T in /*) ;; *) T=$PWD/$T ;; esac; cd %s && { %s; } 2>&1", tool, folder, line);
    p = popen(command, "r");
    assert_non_null(p);
    n = fread(out, 1, size - 1, p);
    out[n] = '\0';
    status = pclose(p);
    if (getenv("CONTACT_TEST_LOUD"))
        print_message("%s: %d: %s\n", line, status, out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void every_command_has_help(void **state)
{
    static const char *const commands[] = {"run", "ccd", "solve", "check", "info"};
    static const char *const options[] = {"--out",    "--steps", "--stepper", "--solver",        "--threads", "--check", "--frames",
                                          "--every", "--render", "--dump-problems", "--json",    "--quiet",   "--paper"};
    char out[8192], line[100];
    size_t i;
    (void)state;
    need_tool();
    for (i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "$T %s --help", commands[i]);
        assert_int_equal(shell(line, out, sizeof out), 0);
        snprintf(line, sizeof line, "contact %s ", commands[i]);
        assert_non_null(strstr(out, line));
        assert_non_null(strstr(out, "exit codes"));
    }
    assert_int_equal(shell("$T --help", out, sizeof out), 0);
    assert_int_equal(shell("$T run --help", out, sizeof out), 0);
    for (i = 0; i < sizeof options / sizeof *options; i++) {
        const char *first = strstr(out, options[i]);
        assert_non_null(first);
        assert_non_null(strstr(first + 1, options[i])); /* its example */
    }
}

static void output_folders_are_safe(void **state)
{
    char out[8192];
    (void)state;
    need_tool();
    write_scene("good.json", "\"dt\":0.01,", "good.msh", "");
    /* no file is written through a link in the place of a temporary file */
    assert_int_equal(shell("mkdir o && echo victim > v && ln -s ../v o/frame_00000.obj.tmp && $T run good.json --quiet --steps 1 --out o && cat v && "
                           "test ! -L o/frame_00000.obj && ls -A o | grep -c -e tmp -e lock",
                           out, sizeof out),
                     1);
    assert_string_equal(out, "victim\n0\n");
    /* two runs into one folder: the second is refused */
    assert_int_equal(shell("$T run good.json --quiet --steps 1000000 --every 1000000 --out two & P=$!; sleep .2; $T run good.json --quiet "
                           "--steps 1 --out two; "
                           "R=$?; kill -TERM $P; wait $P; exit $R",
                           out, sizeof out),
                     1);
    assert_non_null(strstr(out, "another run"));
    /* A full disk: the statistics of finished steps stay, in whole lines, and the message gives the reason */
    assert_int_equal(shell("trap '' XFSZ; (ulimit -f 16; $T run good.json --quiet --steps 400 --frames none --out full); R=$?; tail -c 1 "
                           "full/stats.jsonl | "
                           "od -c | head -n 1; wc -l < full/stats.jsonl; exit $R",
                           out, sizeof out),
                     2);
    assert_non_null(strstr(out, "ends early: File too large"));
    assert_non_null(strstr(out, "\\n"));
}

/* The tip of a bar that is one cell thick sinks three times as far when the mesh's locking is taken out of its stiffness */
static void bars_may_bend(void **state)
{
    static const char *const bends[] = {"", ",\"bends\":true"};
    char out[8192], line[200];
    double sunk[2] = {0, 0};
    int i;
    (void)state;
    need_tool();
    for (i = 0; i < 2; i++) {
        snprintf(out, sizeof out,
                 "{\"dt\":0.01,\"duration\":3,\"gravity\":[0,-1,0],\"bodies\":[{\"name\":\"bar\",\"type\":\"soft\",\"shape\":{\"box\":{"
                 "\"size\":[1,0.1,0.1],"
                 "\"cells\":[10,1,1]}},\"material\":{\"young\":1e6,\"poisson\":0,\"density\":1000,\"damping\":{\"mass\":10}%s},"
                 "\"fix\":[{\"box\":[[-0.51,-1,-1],[-0.49,1,1]]}]}]}",
                 bends[i]);
        write_file("bar.json", out);
        snprintf(line, sizeof line, "$T run bar.json --json --quiet");
        assert_int_equal(shell(line, out, sizeof out), 0);
        assert_non_null(strstr(out, "\"center_of_mass\":["));
        assert_int_equal(sscanf(strstr(out, "\"center_of_mass\":[") + 18, "%*f,%lf", &sunk[i]), 1);
    }
    assert_true(sunk[1] / sunk[0] > 2.9 && sunk[1] / sunk[0] < 3.2);
}

static void names_and_meshes_are_plain(void **state)
{
    char out[4096];
    (void)state;
    need_tool();
    write_file("line.json",
               "{\"dt\":0.01,\"duration\":0.1,\"bodies\":[{\"name\":\"b\\nv 9\",\"type\":\"soft\",\"mesh\":\"good.msh\"," MATERIAL "}]}");
    refuses("line.json", "bodies[0].name|control character 10");
    write_file("zero.json",
               "{\"dt\":0.01,\"duration\":0.1,\"bodies\":[{\"name\":\"b\\u0000c\",\"type\":\"soft\",\"mesh\":\"good.msh\"," MATERIAL "}]}");
    refuses("zero.json", "zero.json: line 1|u0000");
    assert_int_equal(shell("mkfifo p.msh && timeout 5 $T check p.msh", out, sizeof out), 1);
    assert_non_null(strstr(out, "pipe"));
    assert_int_equal(shell("{ printf '\\357\\273\\277'; cat good.msh; } > bom.msh && $T check bom.msh", out, sizeof out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_scenes_run),
        cmocka_unit_test(broken_scenes_name_the_place),
        cmocka_unit_test(broken_meshes_name_line_and_element),
        cmocka_unit_test(intersecting_starts_run_and_are_named),
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(output_folders_are_safe),
        cmocka_unit_test(bars_may_bend),
        cmocka_unit_test(names_and_meshes_are_plain),
        cmocka_unit_test(problems_solve),
        cmocka_unit_test(problems_in_both_precisions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
