#!/usr/bin/env python3
"""test_view.py -- contact view and contact render: the window shows what the software renderer draws, a drag moves a body by what the camera says,
films decode to the pictures they were made of, colours end at values that physics gives, and mistakes are told with their cure.

Needs the program build/contact_view (libsdl2-dev, libgl-dev) and Xvfb for the window; without them those checks are SKIPPED.
Prints a line a check, "ok NAME", "FAILED NAME: why" or "SKIPPED NAME: what is missing"; exit 1 when one failed.
"""
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTACT = os.environ.get("CONTACT_TOOL", os.path.join(ROOT, "build", "contact"))
FAILED = []
sys.path.insert(0, os.path.join(ROOT, "tools"))
import shrink_png  # noqa: E402

W, H = 320, 180
SIZE = ["--size", "%dx%d" % (W, H)]
EYE, TARGET, FOV = [0.9, 0.8, 1.4], [0, 0.2, 0], 38
FLOOR = {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0, "size": 4}}}


def box(name, kind, at, size=0.2, **more):
    material = {"young": 2e4, "poisson": 0.3, "density": 500} if kind == "soft" else {"density": 500}
    return dict({"name": name, "type": kind, "shape": {"box": {"size": [size] * 3, "cells": [2 if kind == "soft" else 1] * 3}}, "material": material,
                 "transform": [{"translate": at}]}, **more)


def scene(*bodies, **more):
    return dict({"name": "test", "dt": 0.01, "duration": 0.2, "bodies": list(bodies),
                 "output": {"camera": {"eye": EYE, "target": TARGET, "fov": FOV}}}, **more)


MIX = scene(box("jelly", "soft", [0, 0.12, 0]), box("crate", "rigid", [0.05, 0.4, 0.02]),
            {"name": "ball", "type": "rigid", "shape": {"sphere": {"radius": 0.1, "levels": 2}}, "transform": [{"translate": [-0.4, 0.11, 0.1]}]},
            {"name": "sheet", "type": "cloth", "shape": {"grid": {"size": [0.5, 0.5], "cells": [8, 8]}}, "transform": [{"translate": [0, 0.55, 0]}]},
            {"name": "rope", "type": "rod", "shape": {"line": {"from": [0.3, 0.5, 0.2], "to": [0.6, 0.5, 0.2], "count": 6}}}, FLOOR)


def check(name, ok, why=""):
    print("ok " + name if ok else "FAILED %s: %s" % (name, str(why).strip().replace("\n", " | ")[:600]), flush=True)
    if not ok:
        FAILED.append(name)


def contact(*args, **env):
    p = subprocess.run([env.pop("tool", CONTACT)] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                       env=dict(os.environ, **env))
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def write(d, name, data):
    path = os.path.join(d, name)
    with open(path, "w") as f:
        f.write(data if isinstance(data, str) else json.dumps(data))
    return path


def picture(path):
    """width, height, the bytes of a PNG"""
    w, h, rows = shrink_png.read(path)
    return w, h, b"".join(bytes(r) for r in rows)


def differ(a, b):
    """mean of the largest channel's difference, share of pixels above 8, above 32 of 255"""
    d = [max(abs(a[i] - b[i]), abs(a[i + 1] - b[i + 1]), abs(a[i + 2] - b[i + 2])) for i in range(0, len(a), 3)]
    return sum(d) / len(d), sum(x > 8 for x in d) / len(d), sum(x > 32 for x in d) / len(d)


# ---- films ----

def lzw(data):
    """the numbers in a GIF's image data"""
    out, size, table, at, bits, have, before = bytearray(), 9, None, 0, 0, 0, None
    while True:
        while have < size:
            bits |= data[at] << have
            at, have = at + 1, have + 8
        code, bits, have = bits & (1 << size) - 1, bits >> size, have - size
        if code == 256:
            table, size, before = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
            continue
        if code == 257:
            return out
        word = table[code] if code < len(table) else before + before[:1]
        if before is not None and len(table) < 4096:
            table.append(before + word[:1])
        if len(table) == 1 << size and size < 12:
            size += 1
        before = word
        out += word


def gif(path):
    """pictures and the time of each in 1/100 s"""
    with open(path, "rb") as f:
        data = f.read()
    w, h = struct.unpack("<HH", data[6:10])
    at, now, pictures, times = 13, bytearray(3 * w * h), [], []
    while data[at] != 0x3b:
        if data[at] == 0x21:  # extension
            if data[at + 1] == 0xf9:
                times.append(struct.unpack("<H", data[at + 4:at + 6])[0])
            at += 2
        else:
            palette = data[at + 10:at + 10 + 768]
            at += 10 + 768 + 1
        blocks = bytearray()
        while data[at]:
            blocks += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if len(pictures) < len(times):
            numbers = lzw(blocks) if len(blocks) > 8 else b""
            if numbers:
                for i, n in enumerate(numbers):
                    if n != 255:
                        now[3 * i:3 * i + 3] = palette[3 * n:3 * n + 3]
                pictures.append((len(numbers), bytes(now)))
    return w, h, pictures, times


def check_films(d, run):
    film, last = os.path.join(d, "film.gif"), os.path.join(d, "last.png")
    code, _, err = contact("render", run, film, *SIZE)
    contact("render", run, last, *SIZE)
    if code:
        check("render DIR FILE.gif", False, err)
        return
    w, h, pictures, times = gif(film)
    whole = all(n == w * h for n, _ in pictures)
    # 21 frames, of which every fourth or so is drawn: at most 30 a second, in real time
    rate = len(pictures) / (0.01 * sum(times))
    check("render DIR FILE.gif: whole pictures in real time", (w, h) == (W, H) and whole and len(pictures) == 6 and abs(rate - 25) < 0.5,
          (w, h, whole, len(pictures), rate))
    mean, _, much = differ(pictures[-1][1], picture(last)[2])
    check("render DIR FILE.gif: 255 colours show the picture", mean < 4 and much < 0.002, (mean, much))
    webp = os.path.join(d, "film.webp")
    code, _, err = contact("render", run, webp, *SIZE)
    if code == 1 and "libwebp-dev" in err:
        print("SKIPPED render DIR FILE.webp: libwebp-dev")
        return
    data = open(webp, "rb").read() if code == 0 else b""
    canvas = 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    check("render DIR FILE.webp", data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8X" and data.count(b"ANMF") == 6 and canvas == (W, H), err)


# ---- stored runs ----

def check_stored(d):
    path, run, shown = write(d, "mix.json", MIX), os.path.join(d, "run"), os.path.join(d, "shown.png")
    code, _, err = contact("run", path, "--out", run, "--quiet", "--render", shown, *SIZE)
    check("run --render", code == 0, err)
    for kind in ("obj", "vtu"):
        folder, again = os.path.join(d, kind), os.path.join(d, kind + ".png")
        if kind != "obj":
            contact("run", path, "--out", folder, "--frames", kind, "--quiet")
        code, _, err = contact("render", run if kind == "obj" else folder, again, *SIZE)
        check("render DIR draws what run --render did, from %s" % kind, code == 0 and picture(again) == picture(shown), err)
    code, out, err = contact("render", run, os.path.join(d, "v.png"), "--frame", "10", "--colour", "velocity", *SIZE)
    check("render --colour velocity of stored frames", code == 0 and re.search(r"to [\d.]+ m/s", err), out + err)
    # without its scene: parts of the surface, and the floor among them
    os.rename(path, path + ".gone")
    code, _, err = contact("render", run, os.path.join(d, "parts.png"), "--frame", "0", *SIZE)
    os.rename(path + ".gone", path)
    check("render DIR without its scene says so", code == 0 and "mix.json cannot be read" in err, err)
    code, _, err = contact("render", os.path.join(run, "frame_00000.obj"), os.path.join(d, "one.png"), *SIZE)
    check("render FILE.obj", code == 0 and picture(d + "/one.png") == picture(d + "/parts.png"), err)
    write(d, "tet.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n")
    write(d, "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    codes = [contact("render", d + "/tet." + end, d + "/%s.png" % end, *SIZE)[0] for end in ("mesh", "obj")]
    check("render draws the surface of tets", codes == [0, 0] and differ(picture(d + "/mesh.png")[2], picture(d + "/obj.png")[2])[0] < 0.01, codes)
    odd = os.path.join(d, "[run] *")
    shutil.copytree(run, odd)
    code, _, err = contact("render", odd, os.path.join(d, "odd.png"), *SIZE)
    check("a folder's name may have brackets", code == 0 and picture(d + "/odd.png") == picture(shown), err)
    return run


def check_sizes(d):
    """a scene of 1/2048, and of 2048 times the size, is the same picture: tiles have powers of two in metres"""
    shots = []
    for scale in (2.0 ** -11, 1, 2.0 ** 11):
        data = scene(box("a", "rigid", [0, 0.12 * scale, 0], 0.2 * scale), FLOOR, thickness=1e-3 * scale, gravity=[0, 0, 0])
        data["output"]["camera"] = {"eye": [scale * x for x in EYE], "target": [scale * x for x in TARGET], "fov": FOV}
        code, _, err = contact("run", write(d, "size.json", data), "--steps", "1", "--render", d + "/size.png", *SIZE)
        shots.append(picture(d + "/size.png")[2] if code == 0 else b"")
    for shot, name in ((shots[0], "0.1 mm"), (shots[2], "400 m")):
        mean, some, _ = differ(shot, shots[1])
        check("a cube of %s looks as one of 0.2 m" % name, mean < 0.5 and some < 0.01, (mean, some))


def check_whole(d, run):
    """a disk that is full leaves the picture of before, and no part of a new one"""
    path = os.path.join(d, "kept.png")
    contact("render", run, path, "--frame", "0", *SIZE)
    with open(path, "rb") as f:
        before = f.read()
    p = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "sh", CONTACT, "render", run, path] + SIZE,
                       capture_output=True, text=True)
    with open(path, "rb") as f:
        check("a picture that does not fit the disk leaves the old one", p.returncode == 2 and "kept.png: cannot be written" in p.stderr and
              f.read() == before and not os.path.exists(path + ".tmp"), (p.returncode, p.stderr))


def check_colours(d):
    """values at the end of the scale, from mechanics"""
    def last(data, colour, steps):
        code, out, err = contact("run", write(d, "c.json", data), "--steps", str(steps), "--render", d + "/c.png", "--colour", colour, *SIZE)
        found = re.search(r"to ([\d.e+-]+) (m/s|Pa|N s), red", err)
        return float(found.group(1)) if code == 0 and found else math.nan, err
    v, err = last(scene(box("a", "rigid", [0, 1, 0])), "velocity", 10)
    # a rigid body's is the mean over the last step
    check("--colour velocity: g t in free fall", abs(v / (9.81 * 0.095) - 1) < 0.002, (v, err))
    weight = 500 * 0.2 ** 3 * 9.81 * 0.01
    j, err = last(scene(box("a", "rigid", [0, 0.101, 0]), FLOOR), "impulse", 30)
    check("--colour impulse: four corners carry m g dt", weight / 4 * 0.98 < j < weight * 1.02, (j, weight, err))
    # a cube that hangs by its top: rho g h there, zero below, in elements of half its height; clamping adds shear at the corners
    hanging = box("a", "soft", [0, 0.5, 0], fix=[{"box": [[-1, 0.59, -1], [1, 0.61, 1]]}])
    hanging["material"].update(young=2e5, poisson=0, damping={"mass": 20, "stiffness": 0})
    s, err = last(scene(hanging), "stress", 200)
    check("--colour stress: a hanging cube", 0.5 * 500 * 9.81 * 0.2 < s < 1.2 * 500 * 9.81 * 0.2, (s, 500 * 9.81 * 0.2, err))
    path = write(d, "c.json", scene(box("a", "rigid", [0, 1, 0])))
    code, _, err = contact("run", path, "--steps", "1", "--render", d + "/c.png", "--colour", "stress", *SIZE)
    check("--colour stress without an element warns", code == 0 and "no body has a stress" in err, err)


def check_islands(d):
    """the hue of two cubes: one where a contact connects them, two where they stand apart"""
    hues = []
    for second in ([0, 0.31, 0], [0.5, 0.101, 0]):
        contact("run", write(d, "i.json", scene(box("a", "rigid", [0, 0.101, 0]), box("b", "rigid", second), FLOOR)), "--steps", "20",
                "--render", d + "/i.png", "--colour", "island", *SIZE)
        w, _, pixels = picture(d + "/i.png")
        seen = []
        for x in ([0, 0.1, 0.1], [second[0], second[1], 0.1]):  # the middle of the front faces
            col, row = pixel(x)
            r, g, b = (c / 255 for c in pixels[3 * (row * w + col):3 * (row * w + col) + 3])
            seen.append((r / g, b / g))
        hues.append(math.dist(*seen))
    check("--colour island: one hue for what touches, two apart", hues[0] < 0.05 < 0.3 < hues[1], hues)


# ---- the window ----

def start_display():
    """a process of Xvfb and its DISPLAY"""
    read, write_end = os.pipe()
    p = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "800x600x24", "-nolisten", "tcp"], pass_fds=[write_end],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read) as f:
        number = f.readline().strip()
    return p, ":" + number


def view(d, what, lines, *args):
    """what the script's `tell` lines print"""
    script = write(d, "script.txt", "\n".join(lines) + "\n")
    code, out, err = contact("view", what, "--script", script, *SIZE, *args)
    return code, [json.loads(x) for x in out.splitlines()], err


def check_picture(d, run):
    path = os.path.join(d, "mix.json")
    for colour in ("body", "impulse"):
        gl, soft = os.path.join(d, "gl.png"), os.path.join(d, "soft.png")
        # one step at the end: the scale of colours is the last step's in both
        code, _, err = view(d, path, ["key t", "key i", "frames 12", "shot " + gl], "--colour", "body") if colour == "body" else \
            view(d, path, ["key t", "key i", "frames 12", "shot " + gl], "--colour", colour, "--range", "0.1")
        contact("run", path, "--steps", "12", "--render", soft, "--colour", colour, "--range", "0.1", *SIZE)
        mean, some, much = differ(picture(gl)[2], picture(soft)[2]) if code == 0 else (99, 1, 1)
        # of 255; silhouettes may differ by a sample
        check("the window shows the renderer's picture, colour %s" % colour, mean < 0.5 and some < 0.01 and much < 0.002, (mean, some, much, err))
    code, told, err = view(d, run, ["key Space", "frames 1", "key .", "key .", "tell", "key ,", "tell", "key r", "tell"])
    check("a stored run: step, back, start", code == 0 and [t["step"] for t in told] == [2, 1, 0], (told, err))


def axes():
    """forward, right, up"""
    f = [t - e for t, e in zip(TARGET, EYE)]
    n = math.sqrt(sum(a * a for a in f))
    f = [a / n for a in f]
    n = math.hypot(f[0], f[2])
    r = [-f[2] / n, 0, f[0] / n]
    return f, r, [r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]]


FOCAL = 0.5 * H / math.tan(math.radians(0.5 * FOV))


def pixel(x):
    """column and row that show a point"""
    v = [sum((x[k] - EYE[k]) * a[k] for k in range(3)) for a in axes()]
    return int(W / 2 + FOCAL * v[1] / v[0]), int(H / 2 - FOCAL * v[2] / v[0])


def ray(x, y):
    """direction through a pixel with 1 along the view, and the view"""
    f, r, u = axes()
    return [f[k] + (x + 0.5 - W / 2) / FOCAL * r[k] + (H / 2 - y - 0.5) / FOCAL * u[k] for k in range(3)], f


def check_drag(d):
    for kind in ("rigid", "soft"):
        path = write(d, "drag.json", scene(box("cube", kind, TARGET), gravity=[0, 0, 0]))
        # slowly: a rigid cube goes on to spin about the hand with what a jerk gives it
        moves = [line for i in range(1, 11) for line in ("move %d %d" % (160 + 4 * i, 90 - 2 * i), "frames 5")]
        code, told, err = view(d, path, ["press 160 90", "tell"] + moves + ["frames 20", "tell", "release 200 70", "frames 1", "tell"])
        if code or len(told) != 3 or told[0]["held"] != "cube" or told[1]["held"] != "cube":
            check("a drag takes the %s cube" % kind, False, (code, told, err))
            continue
        # the point that was hit moves in its plane across the view by the rays' difference
        (a, f), (b, _) = ray(160, 90), ray(200, 70)
        depth = sum((told[0]["at"][k] - EYE[k]) * f[k] for k in range(3))
        want = [EYE[k] + depth * b[k] for k in range(3)]
        went = math.dist(told[1]["at"], told[0]["at"])
        far = math.dist(want, [EYE[k] + depth * a[k] for k in range(3)])
        off = math.dist(told[1]["at"], want)
        check("a drag moves the %s cube by %.3f m" % (kind, far), off < 0.02 * far and abs(went / far - 1) < 0.02, (off, went, far))
        check("the %s cube is let go" % kind, told[2]["held"] is None)


def check_keys(d):
    path = write(d, "keys.json", scene(box("cube", "rigid", [0, 0.3, 0]), FLOOR))
    code, told, err = view(d, path, ["frames 3", "key Space", "frames 2", "tell", "key .", "tell", "key r", "tell", "press 5 5", "move 60 30", "tell",
                                     "release 0 0", "key f", "tell", "wheel 1", "tell"])
    check("keys: pause, one step, start", code == 0 and [t["step"] for t in told[:3]] == [3, 4, 0], (told, err))
    r = [math.dist(t["eye"], t["camera_target"]) for t in told]
    check("the camera turns, comes back, comes nearer", len(told) == 6 and abs(r[3] - r[2]) < 1e-6 and math.dist(told[3]["eye"], told[2]["eye"]) > 0.1
          and math.dist(told[4]["eye"], EYE) < 1e-6 and abs(r[5] / r[4] - 0.9) < 1e-6, (r, told))
    path = write(d, "slow.json", scene(box("cube", "soft", [0, 0.3, 0]), stepper="dcd", gravity=[0, 0, 0]))
    code, told, err = view(d, path, ["press 160 80", "tell", "frames 1", "tell"])
    check("a stepper without drags goes on", code == 0 and told[0]["held"] is None and told[1]["step"] == 1, (code, told, err))


def check_window(d, run):
    if not os.path.exists(CONTACT + "_view"):
        print("SKIPPED contact view: build/contact_view (libsdl2-dev libgl-dev)")
        return
    code, _, err = contact("view", os.path.join(d, "mix.json"), DISPLAY="", WAYLAND_DISPLAY="")
    check("view without a display", code == 2 and "no window" in err and "contact render" in err, (code, err))
    if not shutil.which("Xvfb"):
        print("SKIPPED contact view in a window: Xvfb (xvfb)")
        return
    server, os.environ["DISPLAY"] = start_display()
    try:
        check_picture(d, run)
        check_drag(d)
        check_keys(d)
        code, told, err = view(d, write(d, "named.json", scene(box('a "cube"', "rigid", TARGET), name="n" * 2000)),
                               ["key i", "press 160 90", "frames 1", "tell"])
        check("long names, and names with quotes", code == 0 and told[0]["held"] == 'a "cube"', (code, told, err))
        for line, word in (("dance", "found 'dance'"), ("key nosuchkey", "found 'key nosuchkey'"), ("frames", "expected"),
                           ("frames -1", "found 'frames -1'"), ("press 5", "found 'press 5'"),
                           ("shot %s/none/x.png" % d, "cannot be written")):
            code, _, err = view(d, os.path.join(d, "mix.json"), ["tell", line])
            check("a script with '%s' is refused" % line.split("/")[0], code == 2 and word in err and ("shot" in line or "line 2" in err), err)
    finally:
        server.terminate()
        server.wait()


# ---- mistakes ----

def check_refusals(d, run):
    alone = os.path.join(d, "alone")
    os.makedirs(alone)
    shutil.copy(CONTACT, alone + "/contact")
    code, _, err = contact("view", run, tool=alone + "/contact")
    check("view without its program names the packages", code == 1 and "libsdl2-dev" in err and "libgl-dev" in err, (code, err))
    os.makedirs(d + "/uneven")
    write(d, "uneven/frame_00000.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    write(d, "uneven/frame_00001.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    write(d, "short.obj", "v 0 0 0\nv 1 0\n")
    write(d, "points.obj", "")
    png, mix = d + "/x.png", d + "/mix.json"
    for args, code, words in [
            (["render", run], 1, ["FILE"]), (["render", mix, png], 1, ["contact run", "--render"]), (["render", alone, png], 1, ["frame_*.obj"]),
            (["render", d + "/nosuch", png], 1, ["nosuch"]), (["render", run, d + "/x.bmp"], 1, [".png, .gif, .webp or .mp4"]),
            (["render", run, png, "--colour", "red"], 1, ["--colour", "velocity"]), (["render", run, png, "--colour", "stress"], 1, ["contact run"]),
            (["render", run, png, "--size", "321x180"], 1, ["--size", "640x360"]), (["render", run, png, "--size", "1x"], 1, ["--size"]),
            (["render", run, png, "--range", "-1"], 1, ["--range"]), (["render", run, png, "--frame", "7777"], 2, ["7777", "from 0 to 20"]),
            (["render", run, png, "--frames", "1"], 1, ["'--frame'"]), (["render", run, png, png], 1, ["as well"]),
            (["render", d + "/short.obj", png], 1, ["short.obj", "line 2"]), (["render", d + "/points.obj", png], 1, ["points.obj"]),
            (["render", d + "/uneven", d + "/u.gif"], 2, ["frame_00001.obj", "4 vertices"]),
            (["render", run, d + "/none/x.gif"], 1, ["none/x.gif"]), (["run", mix, "--render", png, "--size", "20"], 1, ["--size"]),
            (["run", mix, "--colour", "stress"], 1, ["--render FILE"]), (["run", mix, "--render", d + "/none/x.png"], 1, ["none/x.png"]),
            (["render", run, png, "--set", "nosuch=1"], 1, ["nosuch: unknown key", "--set nosuch=1"]),
            (["render", run + "/frame_00000.obj", png, "--set", "dt=1"], 1, ["--set dt=1", "no scene"])]:
        got, _, err = contact(*args)
        check("%s is refused" % " ".join(a.replace(d, "D") for a in args), got == code and all(w in err for w in words), (got, err))
    if os.path.exists(CONTACT + "_view"):
        for args, words in [(["view"], ["SCENE.json"]), (["view", mix, run], ["expected one"]), (["view", mix, "--scrip", "x"], ["'--script'"]),
                            (["view", mix, "--threads", "0"], ["--threads"]), (["view", mix, "--script", d + "/none"], ["none"]),
                            (["view", d + "/none.json"], ["none.json"]), (["view", run, "--colour", "impulse"], ["a scene has all"])]:
            got, _, err = contact(*args)
            check("%s is refused" % " ".join(a.replace(d, "D") for a in args), got == 1 and all(w in err for w in words), (got, err))
    left = [n for n in os.listdir(d) if n.endswith(".tmp")]
    check("nothing half-written is left", not left, left)


def main():
    with tempfile.TemporaryDirectory(prefix="contact_view_") as d:
        run = check_stored(d)
        check_films(d, run)
        check_sizes(d)
        check_whole(d, run)
        check_colours(d)
        check_islands(d)
        check_refusals(d, run)
        check_window(d, run)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
