"""figures_otaduy.py -- reproduces the figures and results of Otaduy, Tamstorf, Steinemann, Gross 2009: letters, falling cloth, skirt,
mixed pile. Same contract as figures_solvers.py. "As printed" is `contact run --paper` (docs/solvers_ica.md).

Durations are chosen so that all of them take about half an hour of one core: the letters' walls push after 2.4 s instead of 22 s, the
skirt is stepped to 1.2 s of its 5 s. The letters' Young's modulus is 1e4 Pa here: at 30 ms block Gauss-Seidel does not converge well on
the show scene's 5e4 Pa.
"""
import math

import figures_style as style
from figures_solvers import yes
from figures_worlds import WINDOW, run, scene, solve_ms

YOUNG, REST = 1e4, 2.4     # [Pa] of the letters; [s] until the walls push, for eight seconds
LATTICE = 0.155            # 134 tets a letter, as in the paper
LATTICES = (0.3, 0.22, LATTICE, 0.13)
PILES = (20, 41, 82, 164)


def fit(points):
    """slope of the logarithms, its standard error, and r^2"""
    x, y = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    sxx, syy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y))
    if n < 3 or not sxx > 0 or not syy > 0:
        return float("nan"), float("nan"), float("nan")
    slope = sxy / sxx
    return slope, math.sqrt(max(0.0, syy - slope * sxy) / (n - 2) / sxx), sxy * sxy / (sxx * syy)


def told(f):
    return "%.2f +- %.2f (r2 %.2f)" % f


def windows(lines, of):
    """(mean rows, mean of the quantity `of`) over every 600 ms with contacts"""
    out = []
    for i in range(0, len(lines) - WINDOW + 1, WINDOW):
        part = lines[i:i + WINDOW]
        rows = sum(s["rows"] for s in part) / WINDOW
        if rows >= 10:
            out.append((rows, sum(of(s) for s in part) / WINDOW))
    return out


def total(s):
    return s["cpu_ms"]


def mean(values):
    values = list(values)
    return sum(values) / max(1, len(values))


def letters(b, steps, *options, changes=None, count=164, lattice=LATTICE, young=YOUNG):
    """stats of the first `steps` steps of a pile, and its summary; run once"""
    key = ("letters", steps, options, str(changes), count, lattice, young)
    if key not in b.made:
        path = scene(b, "letters", "letters_%d_%g_%g" % (count, lattice, young), changes, letters=count, lattice=lattice, young=young,
                     rest=0.9 if b.quick else REST)
        b.made[key] = run(b, path, "--steps", str(steps), "--frames", "none", *options)
    return b.made[key]


# ---- Fig. 6 ----

LEFT = {"solver_options": {"tolerance": 1e-2, "max_sweeps": 4000}, "friction": 0}
KINDS = (("CA", ("--solver", "ca")), ("ICA as printed", ("--paper",)), ("ICA, the library's", ("--solver", "ica")))


def left_runs(b, piles, steps):
    """rows of the CSV, windows by kind, number of solves that fell back to ICA, by kind"""
    rows, points, fell = [], {}, {}
    for name, options in KINDS:
        points[name], fell[name] = [], 0
        for count in piles:
            lines, summary = letters(b, steps, *options, changes=LEFT, count=count)
            own = windows(lines, solve_ms)
            fell[name] += summary["solver_fallbacks"]
            points[name].append((count, own))
            rows += [(name, count, k, p[0], q[1], p[1]) for k, (p, q) in enumerate(zip(own, windows(lines, total)))]
    return rows, points, fell


def otaduy6_left(b):
    piles, steps = (PILES[:2], 60) if b.quick else (PILES, 80)
    rows, points, fell = left_runs(b, piles, steps)
    b.csv("otaduy6_left", ["solver", "letters", "window", "rows", "cpu_ms_a_step", "ms_solve_a_step"], rows)
    style.lines(b, "otaduy6_left", [[(n, sorted(p for _, own in points[n] for p in own)) for n in points],
                                    [(n, sorted(points[n][-1][1])) for n in points]],
                ["contacts", "contacts"], ["CPU ms of the solves a step", ""], logx=[True, True], marker="o", line="",
                titles=["all piles", "%d letters" % piles[-1]])
    every = {n: [p for _, own in points[n] for p in own] for n in points}
    table = [["", "slope, all piles", "slope, %d letters alone" % piles[-1], "ms a step at most contacts (contacts)", "taken over by ICA"]]
    for n in points:
        top = max(every[n])
        table.append([n, told(fit(every[n])), told(fit(points[n][-1][1])), "%.0f (%.0f)" % (top[1], top[0]), str(fell[n]) if n == "CA" else "-"])
    lines, summary = letters(b, steps, "--solver", "ca", changes={"solver_options": LEFT["solver_options"]}, count=piles[1])
    rub = 100.0 * mean(s["status"] == "budget" or s["solver_fallbacks"] > 0 for s in lines)
    smooth, _ = letters(b, steps, "--solver", "ca", changes=LEFT, count=piles[1])
    plain = 100.0 * mean(s["status"] == "budget" or s["solver_fallbacks"] > 0 for s in smooth)
    ca, ica = fit(every["CA"])[0], fit(every["ICA as printed"])[0]
    late = [mean(p[1] for p in points[n][-1][1][-2:]) for n in ("CA", "ICA as printed")]
    early = [mean(p[1] for p in points[n][0][1][-2:]) for n in ("CA", "ICA as printed")]
    return {"title": "Otaduy 2009, Fig. 6 left: full constraint anticipation against ICA",
            "shows": "Piles of %s letters without friction, dt 30 ms, %d steps each, every point the mean of 600 ms: CPU time of the "
                     "solves. CA forms "
                     "J A^-1 J' of all contacts; it and the library's ICA go to 1e-2 of g dt, ICA as printed to its own end."
                     % (", ".join(map(str, piles)), steps),
            "paper": "Section 6, Fig. 6 left: CA grows with the square of the contacts at best, ICA nearly linearly, and its gain grows "
                     "with the problem; the "
                     "figure is without friction since CA had severe trouble to converge with it.",
            "table": table,
            "see": "With friction CA ends above its tolerance, or is taken over, in %.0f %% of the steps of %d letters, without in %.0f %%. "
                   "Letters are "
                   "separate bodies, so that J A^-1 J' is sparse here; the paper takes it as dense." % (rub, piles[1], plain),
            "claims": [["CA: quadratic at best in the contacts", yes(ca >= 1.8, ca >= 1.4), "slope %.2f; the matrix is kept sparse by bodies" % ca],
                       ["ICA: close to linear", yes(ica <= 1.3, ica <= 1.6),
                        "slope %.2f as printed; an iteration is linear, but their number grows with the pile" % ica],
                       ["ICA clearly outperforms CA, the more the larger the problem",
                        yes(late[0] > 1.5 * late[1] and late[0] / late[1] > early[0] / early[1],
                                                                                            late[0] > late[1]),
                        "CA takes %.2f times ICA's time (as printed) with %d letters, %.2f times with %d" % (late[0] / late[1], piles[-1],
                         early[0] / early[1], piles[0])],
                       ["CA has severe convergence problems with friction", yes(rub > 2 * plain + 5, rub > plain + 2),
                        "%.0f %% of the steps with friction do not reach 1e-2, %.0f %% without" % (rub, plain)]]}


def otaduy6_right(b):
    lattices, steps, count = (LATTICES[:3], 40, 41) if b.quick else (LATTICES, 120, 164)
    rows, curves, table, cost = [], [], [["tets a letter", "contacts", "CPU ms a step", "of it solves", "solves a 1000 contacts", "slope"]], []
    for lattice in lattices:
        lines, summary = letters(b, steps, "--paper", lattice=lattice, count=count)
        tets = summary["tets"] / count
        own = windows(lines, total)
        late = lines[len(lines) // 3:]
        cost.append((tets, mean(s["rows"] for s in late), mean(s["cpu_ms"] for s in late), mean(solve_ms(s) for s in late)))
        curves.append(("%.0f tets a letter" % tets, own))
        rows += [(tets, k, p[0], p[1]) for k, p in enumerate(own)]
        table.append(["%.0f" % tets, "%.0f" % cost[-1][1], "%.0f" % cost[-1][2], "%.0f" % cost[-1][3], "%.0f ms" % (1e3 * cost[-1][3] / cost[-1][1]),
                      told(fit(own))])
    b.csv("otaduy6_right", ["tets_a_letter", "window", "rows", "cpu_ms_a_step"], rows)
    style.lines(b, "otaduy6_right", [curves], ["contacts"], ["CPU ms a step"], logx=[True], marker="o", line="")
    few = [c[3] / c[1] for c in cost if c[0] < 140]
    flat, more = fit([(c[0], c[3] / c[1]) for c in cost if c[0] < 140])[0], cost[-1][3] / cost[-1][1] / (sum(few) / len(few))
    slope = fit([p for _, own in curves for p in own])
    return {"title": "Otaduy 2009, Fig. 6 right: mesh resolutions",
            "shows": "%d letters with friction as printed, %d steps of 30 ms, every point the mean of 600 ms: CPU time of a step. Means in "
                     "the table are "
                     "over the last two thirds." % (count, steps),
            "paper": "Section 6, Fig. 6 right: quasi-linear in the contacts; practically independent of the resolution below 140 tets a "
                     "letter, since the "
                     "inner loop dominates there.",
            "table": table,
            "see": "Below 140 tets a letter the solves of a contact take %s ms and grow as tets^%.2f; those of the finest letters take %.2f "
                   "times their mean."
                   % (", ".join("%.3f" % f for f in few), flat, more),
            "claims": [["Fig. 6 right: ICA is quasi-linear in the contacts", yes(slope[0] <= 1.3, slope[0] <= 1.6) if slope[2] >= 0.5
                        else "not shown",
                        "slope %s over all resolutions: contacts vary little here, what the pile does varies much" % told(slope)],
                       ["cost does not depend on the resolution below 140 tets a letter", yes(flat <= 0.15, flat <= 0.5),
                        "solves of a contact grow as tets^%.2f between %.0f and %.0f tets"
                        % (flat, cost[0][0], max(c[0] for c in cost if c[0] < 140))]]}


# ---- counts: rounds, inner loops, slow steps, walls ----

def counts(lines):
    """shares in %: rounds <= 3, inner loops under ten, steps whose solves take ten times the mean; and the largest of those ratios"""
    some = [s for s in lines if s["solver_iterations"]]
    solves = [solve_ms(s) for s in some]
    ratio = [t / max(1e-9, mean(solves)) for t in solves]
    return (100.0 * mean(s["cmr_rounds"] <= 3 for s in lines), 100.0 * sum(s["solver_quick"] for s in lines) / max(1,
        sum(s["solver_iterations"] for s in lines)),
            100.0 * mean(r >= 10 for r in ratio), max(ratio + [0.0]))


def printed_scenes(b):
    """[(name, lines, summary)] of the paper's scenes, as printed, with a test for intersections after every step"""
    plan = (("cloth_drop", 40, 1000), ("skirt", 5, 600), ("unified", 10, 150))
    out = [("letters",) + letters(b, 60 if b.quick else 350, "--paper", "--check")]
    for name, few, many in plan:
        key = ("printed", name)
        if key not in b.made:
            b.made[key] = run(b, scene(b, name, name), "--paper", "--check", "--frames", "none", "--steps", str(few if b.quick else many))
        out.append((name,) + b.made[key])
    return out


def state(lines):
    """statuses, in words"""
    kinds = ["ok", "substepped", "zones", "budget", "not_converged"]
    return ", ".join("%s %d" % (k, n) for k, n in ((k, sum(s["status"] == k for s in lines)) for k in kinds) if n)


def otaduy_rounds(b):
    runs = printed_scenes(b)
    own = letters(b, 60 if b.quick else 350, "--check", young=5e4)
    rows, table = [], [["scene", "rounds 0", "1", "2", "3", "4", "5", "more", "at most 3", "steps halved", "intersections"]]
    for name, lines, summary in [(n + ", as printed", l, s) for n, l, s in runs] + [("letters of 5e4 Pa, the library's",) + own]:
        h = [sum(s["cmr_rounds"] == k for s in lines) for k in range(6)]
        h.append(len(lines) - sum(h))
        rows += [(name, k if k < 6 else "more", n) for k, n in enumerate(h)]
        table.append([name] + [str(n) for n in h] + ["%.1f %%" % counts(lines)[0], str(sum(s["substeps"] > 1 for s in lines)),
                                                     str(summary["intersections"])])
    b.csv("otaduy_rounds", ["scene", "rounds", "steps"], rows)
    style.bars(b, "otaduy_rounds", [(t[0], [100.0 * int(n) / max(1, sum(map(int, t[1:8]))) for n in t[1:8]]) for t in table[1:]],
               ["0", "1", "2", "3", "4", "5", "more"], "solves of a step", "% of the steps")
    share = [counts(l)[0] for _, l, _ in runs]
    clean = sum(s["intersections"] for _, _, s in runs)
    zones = sum(s["zones"] for l in runs for s in l[1])
    return {"title": "Otaduy 2009, the histogram beside Fig. 7: rounds of constraint manifold refinement",
            "shows": "Solves of the worst part of a step, over the steps of: " + "; ".join("%s %d" % (n, len(l)) for n, l, _ in runs) +
                     " (dt 30, 4, 2 and 10 ms), and the show scene's letters by the library's own rule.",
            "paper": "Sections 4 and 6: three iterations or less in more than 90 % of the cases, in all examples; halved at most twice, "
                     "which resolved all "
                     "collisions.",
            "table": table,
            "see": "At most three in %.1f to %.1f %% of the steps as printed." % (min(share), max(share)),
            "claims": [["CMR needs at most 3 iterations in more than 90 %, in all examples", yes(min(share) > 90, max(share) > 90),
                        ", ".join("%s %.1f %%" % (n, s) for (n, _, _), s in zip(runs, share))],
                       ["two halvings resolve all collisions", yes(clean == 0 and zones == 0, clean == 0),
                        "%d intersections, %d impact zones in %d steps as printed" % (clean, zones, sum(len(l) for _, l, _ in runs))]]}


def otaduy_counts(b):
    runs = printed_scenes(b)
    table = [["scene as printed", "inner loops under 10", "mean", "steps with solves of ten times the mean", "largest", "residual, median", "status"]]
    rows, quick, slow = [], [], []
    for name, lines, _ in runs:
        c = counts(lines)
        sweeps = sum(s["solver_sweeps"] for s in lines) / max(1, sum(s["solver_iterations"] for s in lines))
        quick.append(c[1]), slow.append(c[2])
        table.append([name, "%.1f %%" % c[1], "%.1f" % sweeps, "%.2f %%" % c[2], "%.1f times" % c[3],
                      "%.2g" % sorted(s["residual"] for s in lines)[len(lines) // 2], state(lines)])
        rows.append((name, len(lines), c[1], sweeps, c[2], c[3]))
    b.csv("otaduy_counts", ["scene", "steps", "inner_loops_under_ten_percent", "inner_sweeps_mean", "ten_times_percent", "largest_over_mean"], rows)
    ratio = [(n, mean(solve_ms(s) for s in l if s["rows"]) / mean(share(s, "unconstrained") for s in l if s["rows"])) for n, l,
        _ in runs if any(s["rows"] for s in l)]
    return {"title": "Otaduy 2009, sections 5.3, 6 and 7: inner loops, slow steps, cost beside the motion without contacts",
            "shows": "The runs of the histogram.",
            "paper": "Section 5.3: the inner loop takes less than 10 iterations in 90 % of the cases. Section 6 (the dress): in about .1 % of the "
             "steps the solver "
                     "required up to 10 times longer. Section 7: mostly the constrained solve was almost as fast as the unconstrained one.",
            "table": table,
            "see": "Solves against the motion without contacts: " + ", ".join("%s %.1f times" % r for r in ratio) + ".",
            "claims": [["inner loop under 10 iterations in 90 %", yes(min(quick) >= 90, max(quick) >= 90), ", ".join("%s %.1f %%" % (r[0],
             r[2]) for r in rows)],
                       ["about .1 % of the steps take up to ten times longer", yes(max(slow) <= 0.2, min(slow) <= 0.2),
                        ", ".join("%s %.2f %% (largest %.1f)" % (r[0], r[4], r[5]) for r in rows)],
                       ["mostly almost as fast as the unconstrained solve", yes(max(r[1] for r in ratio) <= 2, min(r[1] for r in ratio) <= 2),
                        "%.1f to %.1f times, since the unconstrained one has a factor here" % (min(r[1] for r in ratio), max(r[1] for r in ratio))]]}


def share(line, part):
    """CPU milliseconds of a part of a step: its share of the time on the clock"""
    return line["cpu_ms"] * line["ms"][part] / line["ms"]["total"] if line["ms"]["total"] > 0 else 0.0


# ---- scenes ----

def otaduy_letters(b):
    """Fig. 7"""
    lines, summary = letters(b, 60 if b.quick else 350, "--paper", "--check")
    push = int((0.9 if b.quick else REST) / 0.03)
    before, after = lines[push - 1], lines[-1]
    moving = lines[push:]
    b.csv("otaduy_letters", ["t", "rows", "rounds", "kinetic", "elastic", "height", "cpu_ms"],
          [(s["t"], s["rows"], s["cmr_rounds"], s["energy"]["kinetic"], s["energy"]["elastic"], s["center_of_mass"][1], s["cpu_ms"]) for s in lines])
    style.lines(b, "otaduy_letters", [[("kinetic", [(s["t"], max(s["energy"]["kinetic"], 1e-4)) for s in lines]),
                                       ("elastic", [(s["t"], max(s["energy"]["elastic"], 1e-4)) for s in lines])],
                                      [("contacts", [(s["t"], s["rows"]) for s in lines])]], ["time [s]"] * 2, ["energy [J]", "contacts"],
                logx=[False, False], logy=[True, False])
    grown = after["energy"]["elastic"] / max(1e-9, before["energy"]["elastic"])
    cpu = sum(s["cpu_ms"] for s in lines) / 1e3
    return {"title": "Otaduy 2009, Fig. 7: letters that fall, rest, and are pushed together",
            "shows": "164 letters, %d tets, %d steps of 30 ms as printed; two walls push from %.1f s on."
            % (summary["tets"], len(lines), before["t"]),
            "paper": "Section 6: layers are dropped, the pile comes to rest, walls push in and compress it; accurate non-penetration at "
                     "sharp features; 90 "
                     "minutes for 40 s.",
            "see": "%d intersections in %d steps (%s). When the walls start the pile has %.3f J of kinetic energy (%.0f J at most before). "
                   "The walls raise its "
                   "elastic energy %.1f times (%.1f to %.1f J), its contacts from %d to %d, its centre by %.0f mm. %.1f s of CPU a second "
                   "of the scene."
                   % (summary["intersections"], len(lines), state(lines), before["energy"]["kinetic"],
                      max(s["energy"]["kinetic"] for s in lines), grown,
                      before["energy"]["elastic"], after["energy"]["elastic"], before["rows"], after["rows"],
                      1e3 * (after["center_of_mass"][1] - before["center_of_mass"][1]), cpu / after["t"]),
            "claims": [["the pile comes to rest", yes(before["energy"]["kinetic"] < 0.01 * max(s["energy"]["kinetic"] for s in lines)),
                        "%.3f J of %.0f J are left when the walls start" % (before["energy"]["kinetic"], max(s["energy"]["kinetic"] for s in lines))],
                       ["walls push in and compress the letters, without penetration", yes(summary["intersections"] == 0 and grown > 1.2),
                        "elastic energy %.1f times, %d intersections, rounds <= 3 in %.1f %% of the steps while they push" % (grown,
                         summary["intersections"], counts(moving)[0])],
                       ["40 s of 164 letters in 90 minutes", yes(cpu / after["t"] < 135),
                        "%.0f s of CPU for one second, the paper 135 s (3.2 GHz of 2009)"
                        % (cpu / after["t"])]]}


def otaduy5(b):
    """falling cloth, and the split of its time"""
    rows, table = [], [["run", "CPU [s]", "dynamics", "detection", "intersections", "energy gained [J]", "kinetic at the end [J]", "status"]]
    splits, worst, clean = {}, 0.0, 0
    for name, which, options in (("as printed", "cloth_drop", ("--paper",)), ("the library's", "cloth_drop", ()), ("friction .1, the library's",
        "cloth_drop_slippery", ())):
        steps = 40 if b.quick else 1000
        if name == "as printed":
            lines, summary = next((l, s) for n, l, s in printed_scenes(b) if n == "cloth_drop")
        else:
            lines, summary = run(b, scene(b, which, which), "--check", "--frames", "none", "--steps", str(steps), *options)
        dynamics = sum(share(s, "assemble") + share(s, "unconstrained") + share(s, "solve") for s in lines)
        detect = sum(share(s, "detect") for s in lines)
        splits[name] = 100 * dynamics / (dynamics + detect)
        gain = max(max(0, s["energy_gained"]) for s in lines)
        worst, clean = max(worst, gain), clean + summary["intersections"]
        table.append([name, "%.0f" % (sum(s["cpu_ms"] for s in lines) / 1e3), "%.0f %%" % splits[name], "%.0f %%" % (100 - splits[name]),
                      str(summary["intersections"]), "%.2g" % gain, "%.2g" % lines[-1]["energy"]["kinetic"], state(lines)])
        rows.append((name, len(lines), sum(s["cpu_ms"] for s in lines) / 1e3, splits[name], 100 - splits[name], gain))
    b.csv("otaduy5", ["run", "steps", "cpu_seconds", "dynamics_percent", "detection_percent", "largest_gain_of_a_step"], rows)
    energy = next(l for n, l, _ in printed_scenes(b) if n == "cloth_drop")
    top = [sum(s["energy"].values()) for s in energy]
    rise = max(a - c for c, a in zip(top, top[1:]))
    return {"title": "Otaduy 2009, Fig. 5: falling cloth",
            "shows": "A sheet of 2,500 vertices, dt 4 ms, %d steps. Dynamics is assembly, motion without contacts and solves." % len(energy),
            "paper": "Section 6, Fig. 5: no interpenetration, a response that adds no energy, small and large friction; 8 minutes for 4 s, 69 % of "
             "the time in the "
                     "constrained dynamics and 31 % in detection.",
            "table": table,
            "see": "As printed the total energy of the sheet rises by %.2g J at most in a step, of %.2g J." % (rise, max(top) - min(top)),
            "claims": [["no interpenetration, with small and large friction", yes(clean == 0), "%d intersections in all three runs" % clean],
                       ["the response adds no energy", yes(rise <= 1e-3 * (max(top) - min(top)), rise <= 1e-2 * (max(top) - min(top))),
                        "largest rise of a step %.2g of the fall's energy as printed" % (rise / (max(top) - min(top)))],
                       ["69 % dynamics, 31 % detection", yes(64 <= splits["as printed"] <= 74, 55 <= splits["as printed"] <= 83),
                        "%.0f and %.0f %% as printed, %.0f and %.0f %% the library's own" % (splits["as printed"], 100 - splits["as printed"],
                         splits["the library's"],
                                                                                                100 - splits["the library's"])],
                       ["8 minutes for 4 s", yes(rows[0][2] < 480), "%.0f s of CPU as printed, %.0f s the library's own" % (rows[0][2], rows[1][2])]]}


def otaduy1(b):
    """dress and mixed pile: their sentences"""
    runs = {n: (l, s) for n, l, s in printed_scenes(b)}
    lines, summary = runs["skirt"]
    touched = [s for s in lines if s["rows"]] or lines
    detect, solve = mean(share(s, "detect") for s in touched), mean(solve_ms(s) for s in touched)
    b.csv("otaduy1", ["t", "rows", "ms_solve", "ms_detect", "kinetic"], [(s["t"], s["rows"], solve_ms(s), share(s, "detect"),
        s["energy"]["kinetic"]) for s in lines])
    style.lines(b, "otaduy1", [[("detection", [(s["t"], share(s, "detect")) for s in lines]),
                                ("solves", [(s["t"], max(solve_ms(s), 0.1)) for s in lines])]],
                ["time [s]"], ["CPU ms a step"], logx=[False])
    mixed, mixed_summary = runs["unified"]
    return {"title": "Otaduy 2009, Figs. 1 and 4: a dress of six layers, and a mixed pile",
            "shows": "Six layers, 16,800 vertices, on a figure that steps aside and turns in .9 s, dt 2 ms, %d steps of %d; rigid bodies, "
                     "soft bodies "
             "and sheets in "
                     "one pile, %d steps of 10 ms; both as printed." % (len(lines), 2500, len(mixed)),
            "paper": "Section 6: up to 6000 contacts at high speed, inelastic impacts and smooth sliding; detection is the bottleneck (1.5 "
                     "s a query, "
             "1.2 s a solve). "
                     "Fig. 4: cloth between bodies, non-penetration and friction dealt with robustly.",
            "see": "Dress: %d contacts at most, %d intersections, %s; a step with contacts takes %.0f ms of detection (all rounds) and %.0f ms of "
             "solves. Pile: %d "
                   "intersections, %s, residual %.2g in the median."
                   % (max(s["rows"] for s in lines), summary["intersections"], state(lines), detect, solve, mixed_summary["intersections"],
                      state(mixed),
                      sorted(s["residual"] for s in mixed)[len(mixed) // 2]),
            "claims": [["dress of 16,800 vertices in six layers, up to 6000 contacts, resolved",
             yes(summary["intersections"] == 0 and max(s["rows"] for s in lines) >= 6000, summary["intersections"] == 0),
                        "%d contacts, %d intersections, to %.1f s" % (max(s["rows"] for s in lines), summary["intersections"], lines[-1]["t"])],
                       ["detection is the bottleneck of the dress", yes(detect > solve, detect > 0.7 * solve),
                        "%.0f ms detection, %.0f ms solves a step" % (detect, solve)],
                       ["bodies of all kinds in one solver, "
                        "robustly", yes(mixed_summary["intersections"] == 0 and all(s["status"] != "not_converged" for s in mixed)),
                        "%d intersections, %s" % (mixed_summary["intersections"], state(mixed))]]}
