#!/usr/bin/env python3
"""test_python.py -- the binding for Python (python/) against laws, numpy and C, and misuse of all kinds: prints ok, FAILED or SKIPPED lines.

usage: python3 tests/test_python.py [NAME...]      tests whose names contain a NAME; --mistakes prints the table of docs/python.md
It uses build/python, as `make python` makes it, and runs itself again by the Python that has numpy (build/deps/python.mk).
"""
import ctypes
import faulthandler
import gc
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import weakref

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, "build", "python")
# functions that have another form in Python, and which
OTHERWISE = {"ct_body_set_user_data": "Body.user_data is any object, kept by World", "ct_body_get_user_data": "likewise",
             "ct_mesh_free": "an array of a mesh is released with the last view of it, by ct_free"}
FAILED = []


def check(ok, what, detail=""):
    print("%s %s%s" % ("ok" if ok else "FAILED", what, "" if ok or detail == "" else ": %s" % (detail,)), flush=True)
    if not ok:
        FAILED.append(what)


def near(a, b, tolerance):
    return bool(np.all(np.abs(np.asarray(a) - np.asarray(b)) <= tolerance))


def raised(f):
    """The exception of a call, or None."""
    try:
        f()
    except Exception as e:
        return e
    return None


def jelly_world(**options):
    world = contact.World(**options)
    world.add_plane()
    jelly = world.add_soft(contact.Mesh.box((0.2, 0.2, 0.2), (2, 2, 2)), young=2e4, position=(0, 0.105, 0), name="jelly")
    return world, jelly


def rested(**options):
    world, jelly = jelly_world(**options)
    for _ in range(40):
        world.step(0.01)
    return world, jelly


# ---- the tables ----
def test_every_function():
    with open(os.path.join(ROOT, "contact.h")) as f:
        declared = set(re.findall(r"^CONTACT_API [^(;]*?\b(ct_\w+)\(", f.read().split("#ifdef CONTACT_IMPLEMENTATION")[0], re.M))
    check(len(declared) > 150 and declared == set(_abi.FUNCTIONS), "the tables have every public function", declared ^ set(_abi.FUNCTIONS))
    text = ""
    for name in os.listdir(os.path.join(ROOT, "python", "contact")):
        if name.endswith(".py"):
            with open(os.path.join(ROOT, "python", "contact", name)) as f:
                text += f.read()
    # names that are put together
    text += "".join(" ct_%s_desc_default ct_body_add_%s " % (kind, kind) for kind in re.findall(r'_add\("(\w+)"', text))
    text += " ".join("%s_batch" % name for name in re.findall(r'"(ct_ccd_(?:vertex_face|edge_edge))"', text))
    unused = sorted(f for f in declared if f not in OTHERWISE and not re.search(r"\b%s\b" % f, text))
    check(not unused, "the package calls every public function", unused)


def test_layout():
    """The sizes and places of all fields are those of the compiler."""
    lines = []
    for name, fields in _abi.STRUCTS.items():
        lines.append('printf("%%zu\\n", sizeof(%s));' % name)
        lines += ['printf("%%zu\\n", offsetof(%s, %s));' % (name, f) for f, _ in fields]
    source = '#include <stdio.h>\n#include "contact.h"\nint main(void) {\n%s\nreturn 0; }\n' % "\n".join(lines)
    for real in (64, 32):
        library = contact._library.library(real)
        mine = [n for name, fields in _abi.STRUCTS.items() for n in
                [ctypes.sizeof(library.struct[name])] + [getattr(library.struct[name], f).offset for f, _ in fields]]
        with tempfile.TemporaryDirectory() as work:
            p = subprocess.run(["cc", "-w", "-DCONTACT_REAL=%d" % real, "-I", ROOT, "-x", "c", "-", "-o", work + "/layout"], input=source.encode(),
                               stderr=subprocess.PIPE)
            theirs = subprocess.run([work + "/layout"], stdout=subprocess.PIPE).stdout.split() if p.returncode == 0 else []
        check([int(n) for n in theirs] == mine, "the layout of %d structs with %d bits is the compiler's" % (len(_abi.STRUCTS), real), p.stderr[:300])


def test_enums():
    found = [contact.text_of(s) == s.name.lower() for e in (contact.Stepper, contact.Solver, contact.Integrator, contact.Status, contact.Outcome)
             for s in e]
    check(all(found) and len(found) > 25, "constants have the library's names")
    check(contact.info().built_steppers == contact.info().steppers.split() and "newton" in contact.info().built_problem_solvers, "what is built")
    check(contact.info(32).real_bits == 32, "float is there, too")


# ---- worlds ----
def test_quick_start():
    with open(os.path.join(ROOT, "python", "README.md")) as f:
        text = f.read()
    program = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    expected = re.search(r"```console\n\$ python3 quickstart.py\n(.*?)```", text, re.S).group(1)
    check(program.strip().count("\n") < 10, "the quick start has ten lines")
    p = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, PYTHONPATH=PACKAGE))
    check(p.stdout.decode() == expected, "the quick start prints what it says", p.stdout.decode())


def test_examples():
    """The programs of docs/python.md print what stands behind them."""
    with open(os.path.join(ROOT, "docs", "python.md")) as f:
        programs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", f.read(), re.S)
    for k, (program, expected) in enumerate(programs):
        p = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env=dict(os.environ, PYTHONPATH=PACKAGE))
        check(p.stdout.decode() == expected, "example %d of docs/python.md" % (k + 1), p.stdout.decode())
    check(len(programs) == 3, "docs/python.md has three programs")


def test_fall():
    """A rigid body that falls is on its parabola."""
    for real, tolerance in ((64, 1e-12), (32, 1e-5)):
        with contact.World(real=real, gravity=(0, -10, 0)) as world:
            ball = world.add_rigid(contact.Mesh.sphere(0.1, 1), position=(0, 5, 0))
            start = ball.pose[0][1]
            for _ in range(20):
                world.step(0.01)
            check(abs(start - ball.pose[0][1] - 10 / 2 * 0.2 ** 2) < tolerance, "free fall with %d bits" % real, ball.pose)
            check(abs(world.time - 0.2) < tolerance, "time with %d bits" % real)


def test_weight():
    """What rests is held by its weight."""
    world, jelly = rested(friction=0.5)
    for _ in range(100):
        report = world.step(0.01)
    impulse = world.contacts["impulse_normal"].sum()
    check(abs(impulse - jelly.mass * 9.81 * 0.01) < 0.02 * impulse, "contacts carry the weight", (impulse, jelly.mass * 0.0981))
    check(report.status <= contact.Status.ZONES and report.contacts == len(world.contacts), "the report", report)
    up = jelly.contact_impulses.sum(axis=0)[1]
    x = jelly.nodes[jelly.elements]
    volume = np.einsum("ij,ij->i", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0]) / 6
    lean = (jelly.stress[:, 1] * volume).sum() + (jelly.elastic_forces * jelly.nodes).sum(axis=0)[1]
    check(abs(up - impulse) < 1e-9 * impulse and jelly.stress[:, 1].mean() < 0, "impulses at vertices, and stress under the weight")
    check(abs(lean) < 1e-6 * abs(jelly.stress[:, 1] * volume).sum(), "stress and elastic forces agree (the virial)", lean)
    check(len(world.validate()) == 0 and world.repair() == (0, 0), "nothing intersects")
    check(world.body(world.contacts["body_a"][0]) in world.bodies, "ids of contacts are bodies")
    check(report.rk.accepted == 0 and report.limit.kind in contact.PairKind and report.asdict()["contacts"] == report.contacts, "nested reports")


def test_snapshot():
    world, jelly = rested()
    saved, start = world.save(), world.hash
    hashes = []
    for _ in range(2):
        for _ in range(5):
            world.step(0.01)
        hashes.append(world.hash)
        world.restore(saved)
    check(hashes[0] == hashes[1] != start and world.hash == start, "a snapshot goes on with the same bits")
    with tempfile.TemporaryDirectory() as work:
        world.save_file(work + "/s")
        world.step(0.01)
        world.restore_file(work + "/s")
    check(world.hash == start, "a snapshot in a file")
    wrong = raised(lambda: contact.World().restore(saved))
    check(isinstance(wrong, contact.ArgumentError) and wrong.text, "a snapshot of another world is refused", wrong)
    e = raised(lambda: world.save_file("/no/where"))
    check(isinstance(e, contact.FileError) and "/no/where" in str(e), "a file that cannot be written is named", e)
    check(isinstance(raised(lambda: world.restore(b"")), contact.ContactError), "an empty snapshot is refused")
    check(isinstance(raised(lambda: world.restore(saved[:-7])), contact.ContactError), "a short snapshot is refused")


def test_bodies():
    world = contact.World("cmr")
    world.add_plane(name="floor", friction=0.9)
    cloth = world.add_cloth(contact.Mesh.grid((1, 1), (6, 6)), position=(0, 1, 0), name="cloth", areal_density=0.3)
    rod = world.add_rod(contact.Mesh.line([(0, 2, 0), (0.1, 2, 0), (0.2, 2, 0)]), radius=0.01)
    sand = world.add_points(np.random.default_rng(1).random((5, 3)) + (3, 1, 3), masses=np.full(5, 0.1))
    belt = world.add_static(contact.Mesh.box((1, 0.1, 1), tets=False), position=(5, 0.2, 0))
    mill = world.add_kinematic(contact.Mesh.box((0.1, 0.1, 0.1), tets=False), motion={"angular": (0, 1, 0)}, position=(0, 3, 0))
    check(world.find("cloth") == cloth and world.find("nobody") is None and world.body_count == 6, "bodies by name")
    check(np.isclose(cloth.mass, 0.3) and sand.masses.tolist() == [0.1] * 5 and abs(sand.mass - 0.5) < 1e-12, "masses")
    corner = cloth.positions[:, 0] < -0.49
    cloth.pin(corner)
    cloth.air, belt.surface_velocity, world.wind = {"drag": 1.0}, (1, 0, 0), (3, 0, 0)
    cloth.filter = {"group": -2}
    cloth.user_data = {"any": "thing"}
    start = cloth.positions[corner]
    for _ in range(5):
        world.step(0.01)
    check(near(cloth.positions[corner], start, 1e-12) and abs(cloth.pin_impulse(int(np.flatnonzero(corner)[0]))[1]) > 0, "pins by a mask")
    check(cloth.air.drag == 1 and near(belt.surface_velocity, (1, 0, 0), 0) and near(world.wind, (3, 0, 0), 0) and cloth.filter.group == -2,
          "what is set is read")
    check(cloth.user_data == {"any": "thing"} and cloth.triangles.shape == (72, 3) and rod.segments.tolist() == [[0, 1], [1, 2]], "lists of a body")
    check(abs(mill.pose[1][2] - np.sin(0.025)) < 1e-9, "a kinematic body turns", mill.pose)
    e = raised(lambda: cloth.pin([True, False]))
    check(isinstance(e, contact.ArgumentError) and "a mask of 49 is expected, not of 2" in str(e), "a mask of the wrong length", e)
    rod.pin(rod.positions[:, 0] < 0.15)
    material = cloth.material
    material.areal_density = 0.6
    cloth.material = material
    check(np.isclose(cloth.mass, 0.6) and material == cloth.material, "a material is changed")
    moved = cloth.nodes + (0, 1, 0)
    cloth.nodes, cloth.node_velocities = moved, np.zeros_like(moved)
    check(near(cloth.nodes, moved, 0) and near(cloth.velocities, 0, 0), "nodes are set")
    buffer = np.zeros((49, 8), np.float32)
    check(np.shares_memory(cloth.get_positions(out=buffer[:, 2:5]), buffer) and near(buffer[:, 2:5], cloth.positions, 1e-6) and
          not buffer[:, 5:].any(), "positions into an array of mine")
    check(near(np.linalg.norm(cloth.normals, axis=1), 1, 1e-9) and world.vertices().shape[1] == 6, "normals and vertex buffers")
    cloth.remove()
    check(not cloth.alive and world.body_count == 5, "a body is removed")


def test_skin():
    world = contact.World(gravity=(0, -10, 0))
    cape = world.add_cloth(contact.Mesh.grid((1, 1), (4, 4)), position=(0, 1, 0))
    cape.set_skin(range(25), max_distance=0.1)
    target = cape.positions
    for _ in range(60):
        world.step(0.01)
    far = np.linalg.norm(cape.positions - target, axis=1).max()
    check(0.05 < far < 0.105 and len(cape.skin) == 25, "limits of a skin hold", far)
    cape.move_skin(target + (0, 0.5, 0), 0.01)


def test_joints():
    """A pendulum keeps its length, its hinge carries its weight."""
    world = contact.World()
    bob = world.add_rigid(contact.Mesh.sphere(0.05, 2), position=(0, -1, 0))
    joint = world.add_joint("hinge", bob, None, point=(0, 0, 0), axis=(0, 0, 1))
    for _ in range(10):
        world.step(0.01)
    check(abs(joint.force[0][1] - bob.mass * 9.81) < 1e-6 * bob.mass, "a hinge carries the weight", joint.force)
    check(world.joints == [joint] and joint.bodies == (bob, None) and abs(joint.angle) < 1e-9 and joint.state.broken == 0, "joints are read")
    joint.set_motor(2, 100)
    for _ in range(10):
        world.step(0.01)
    check(abs(joint.angle - 0.2) < 1e-3 and abs(np.linalg.norm(bob.pose[0]) - 1) < 1e-6, "a motor drives it", joint.angle)
    joint.set_break(1e-3)
    world.step(0.01)
    check([world.joint(i) for i in world.events.joint_break["joint"]] == [joint], "it breaks")
    joint.remove()
    check(isinstance(raised(lambda: joint.angle), contact.StaleIdError), "a removed joint is stale")


def test_queries():
    world = contact.World()
    floor = world.add_plane()
    ball = world.add_rigid(contact.Mesh.sphere(0.5, 3), position=(0, 2, 0))
    hit = world.cast_ray((0, 5, 0), (0, -10, 0))
    check(world.body(hit.body) == ball and abs(hit.distance - 2.5) < 1e-3 and near(hit.normal, (0, 1, 0), 0.1), "a ray", hit)
    check(world.cast_ray((0, 5, 0), (0, 1, 0)) is None, "a ray that meets nothing")
    check(len(world.cast_ray_all((0.1, 5, 0.07), (0, -10, 0))) == 3, "all hits of a ray")
    only = world.cast_ray((0, 5, 0), (0, -10, 0), {"accept": lambda b: b == floor})
    check(world.body(only.body) == floor, "a query that accepts")
    check(abs(world.closest_point((0, 4, 0)).distance - 1.5) < 1e-6 and len(world.inside((0, 2, 0))) == 1, "closest point and inside")
    check(len(world.overlap_sphere((0, 0.5, 0), 1.2)) == 2 and len(world.overlap_box((1, 1, 1), (2, 2, 2))) == 0, "overlaps")
    many = contact.World()
    for k in range(100):
        many.add_rigid(contact.Mesh.box((0.1, 0.1, 0.1), tets=False), position=(0.2 * k, 0, 0))
    check(len(many.overlap_box((-1, -1, -1), (100, 1, 1))) == 100, "more answers than there was room for at first")
    check(abs(world.cast_sphere((0, 5, 0), 0.1, (0, -10, 0)).distance - 2.4) < 1e-3, "a sphere")
    drawing = world.draw()
    check(drawing.triangles.shape == (1280 + 2, 3, 3) or len(drawing.triangles) > 1280, "what is drawn", drawing.triangles.shape)


# ---- views ----
def test_views():
    world, jelly = rested()
    view = world.contacts
    pointer, n = ctypes.c_void_p(), ctypes.c_int()
    world._lib.call.ct_world_contacts(world._handle.pointer, ctypes.addressof(pointer), ctypes.addressof(n))
    check(view.__array_interface__["data"][0] == pointer.value and len(view) == n.value, "contacts are a view, not a copy")
    check(not view.flags.writeable and isinstance(raised(lambda: view["gap"].fill(0)), ValueError), "a view is read-only")
    part, triangles, handle = view["point"][1:], jelly.triangles, weakref.ref(world._handle)
    kept = part.copy(), triangles.copy()
    world.close()
    del world, view
    gc.collect()
    check(handle() is not None and (part == kept[0]).all() and (triangles == kept[1]).all(), "views keep a closed world alive")
    del part, triangles, jelly
    gc.collect()
    check(handle() is None, "the last view ends it")


def test_old_views():
    """Views of memory that the world has given back since then show memory of theirs, and it comes back when they end."""
    world = contact.World()
    world.add_plane()
    views, n = [], 0
    for k in range(60):
        body = world.add_rigid(contact.Mesh.box((0.1, 0.1, 0.1), tets=False), position=(0.3 * (k % 8), 0.06, 0.3 * (k // 8)))
        faces = body.triangles.copy()
        views += [body.triangles, world.contacts, world.events.begin, world.events.stay]
        world.step(0.01)
        if k % 2:
            body.remove()
    n = sum(v.nbytes + int(v.view(np.uint8).sum()) for v in views)
    check(n > 0 and all((v == faces).all() for v in views if v.dtype == np.int32), "old views are read, and those of removed bodies are as they were")
    while views:
        views.pop()
    gc.collect()
    released = len(world._handle.released)
    last = world.contacts
    check(len(last) and released > 50 and not world._handle.released, "ended views are given back")


def test_meshes():
    box = contact.Mesh.box((1, 1, 1), (2, 2, 2), tets=False)
    moved = box.transformed(scale=2, rotation=(np.cos(0.5), 0, np.sin(0.5), 0), position=(1, 2, 3))
    back = moved.transformed(position=(-1, -2, -3)).transformed(rotation=(np.cos(0.5), 0, -np.sin(0.5), 0)).transformed(scale=0.5)
    check(near(back.positions, box.positions, 1e-12) and box.positions.max() == 0.5, "a mesh is transformed, and the first one stays")
    parts = contact.Mesh(box.positions[box.triangles].reshape(-1, 3), triangles=np.arange(3 * len(box.triangles)).reshape(-1, 3))
    welded, merged = parts.welded(1e-9)
    check(len(welded.positions) == len(box.positions) and merged == len(parts.positions) - len(box.positions), "a mesh is welded")
    tets = welded.tetrahedralized(0.5)
    x = tets.positions[tets.tets]
    volume = np.einsum("ij,ij->i", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0]) / 6
    check(volume.min() > 0 and abs(volume.sum() - 1) < 0.3, "a mesh is filled with tets", volume.sum())
    check(len(box.intersections()) == 0, "no intersections")
    with tempfile.TemporaryDirectory() as work:
        box.write(work + "/a.obj")
        again = contact.Mesh.read(work + "/a.obj")
        again.positions[:] += 0.0  # memory of the library that can be written
    check((again.positions == box.positions).all() and (again.triangles == box.triangles).all(), "a file reads back bit for bit")
    positions = again.positions
    del again
    gc.collect()
    check((positions == box.positions).all(), "arrays of a mesh outlive it")
    strided = np.asfortranarray(np.repeat(box.positions, 2, axis=0))[::2]
    check((contact.Mesh(strided, triangles=box.triangles.astype(np.int64)).positions == box.positions).all(), "other layouts and types are converted")


def test_meshio():
    try:
        import meshio
    except ImportError:
        return print("SKIPPED python meshio: the Debian package python3-meshio is missing")
    box = contact.Mesh.box((1, 1, 1), (2, 1, 1))
    with tempfile.TemporaryDirectory() as work:
        for kind in ("vtu", "mesh", "xdmf", "msh"):
            path = "%s/box.%s" % (work, kind)
            if kind == "xdmf":
                continue
            meshio.write(path, box.to_meshio())
            again = contact.Mesh.from_meshio(path)
            check(near(again.positions, box.positions, 1e-14) and (again.tets == box.tets).all(), "meshio: .%s reads back" % kind)
    quads = meshio.Mesh(np.array([(0, 0), (1, 0), (1, 1), (0, 1.0)]), [("quad", np.array([[0, 1, 2, 3]])), ("line", np.array([[0, 1]]))])
    mesh = contact.Mesh.from_meshio(quads)
    check(mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]] and
          mesh.segments.tolist() == [[0, 1]] and mesh.positions.shape == (4, 3), "meshio: quads")
    wrong = raised(lambda: contact.Mesh.from_meshio(meshio.Mesh(np.zeros((8, 3)), [("hexahedron", np.arange(8)[None])])))
    check(isinstance(wrong, contact.UnsupportedError) and "hexahedron" in str(wrong), "meshio: what is not read is named")


# ---- problems ----
def small_qp():
    rng = np.random.default_rng(3)
    B = rng.standard_normal((6, 6))
    return B @ B.T + 6 * np.eye(6), rng.standard_normal(6), rng.standard_normal((4, 6)), rng.standard_normal(4) - 1


def test_problems():
    A, b, J, w = small_qp()
    problem = contact.Problem.qp(A, b, J, w)
    answers = {}
    for name in contact.info().built_problem_solvers:
        s = problem.solve(name, tolerance=1e-8)
        if s.solved:
            answers[name] = s
            ok = near(A @ s.x, b + J.T @ s.r, 1e-6) and (J @ s.x + w).min() > -1e-6 and s.r.min() > -1e-6 and abs(s.r @ (J @ s.x + w)) < 1e-5
            check(ok, "a quadratic program by %s" % name, s)
    check(len(answers) >= 5, "five solvers and more solve it", list(answers))
    warm = problem.solve("mprgp", x=answers["mprgp"].x, r=answers["mprgp"].r)
    check(warm.solved and warm.iterations <= answers["mprgp"].iterations, "a warm start")
    seen = []
    ended = problem.solve("pgs", tolerance=1e-14, watch=lambda i, x, r: seen.append((i, x, r)) or len(seen) < 3)
    check(len(seen) == 3 and not ended.solved and seen[0][1].shape == (6,), "a watcher ends a solve", ended)
    traced = []
    problem.solve("pgs", tolerance=1e-10, trace=lambda s: traced.append(s.residual))
    check(len(traced) > 3 and traced[-1] < traced[0], "a solve is traced")
    free = contact.Problem.qp(A, b, np.zeros((0, 6)), [])
    check(near(free.solve(x=np.ones(6), r=[]).x, np.linalg.solve(A, b), 1e-6), "a program without rows")
    never = contact.Problem.qp(np.eye(1), [0], [[1], [-1]], [-1, -1]).solve()
    check(never.outcome == contact.Outcome.INFEASIBLE and never.why and never.proof_value < 0, "one without a solution has a certificate", never)
    lcp = contact.Problem.lcp([[2, 1], [1, 2]], [-5, -6])
    check(near(lcp.solve("lemke").r, (4 / 3, 7 / 3), 1e-12), "an LCP")
    boxed = contact.Problem.lcp([[2, 1], [1, 2]], [-5, -6], [0, 0], [1, np.inf])
    check(near(boxed.solve().r, (1, 2.5), 1e-9) and boxed.arrays()["hi"][1] == np.inf, "an LCP in a box")
    slide = contact.Problem.local(np.eye(3), [-1, 2, 0], [0.5]).solve()
    check(near(slide.r, (1, -0.5, 0), 1e-3), "Coulomb's law", slide.r)


def test_problem_files():
    A, b, J, w = small_qp()
    first = contact.Problem.qp(A, b, J, w, equation=[1, 0, 0, 0], x_ref=np.ones(6), r_ref=np.ones(4))
    arrays = first.arrays()
    same = [(arrays["A"].toarray() == A).all() or near(arrays["A"].toarray(), A, 1e-15), (arrays["J"].toarray() == J).all(), (arrays["b"] == b).all(),
            (arrays["w"] == w).all(), arrays["equation"].tolist() == [1, 0, 0, 0], (first.x_ref == 1).all() and len(first.r_ref) == 4]
    check(all(same), "matrices come back", same)
    with tempfile.TemporaryDirectory() as work:
        contact.cpb.write(work + "/p.cpb", contact.cpb.QP, {"P": A, "J": J, "b": b, "c": -w})
        mine = contact.Problem.read(work + "/p.cpb")
        check(near(mine.solve().x, contact.Problem.qp(A, b, J, w).solve().x, 1e-9), "a file written by numpy is read by the library")
        for data in (b"", b"CPB1", b"CPB1\0\0\0\0" + b"\xff" * 40):
            with open(work + "/bad.cpb", "wb") as f:
                f.write(data)
            check(isinstance(raised(lambda: contact.cpb.read(work + "/bad.cpb")), contact.FormatError) and
                  isinstance(raised(lambda: contact.Problem.read(work + "/bad.cpb")), contact.FormatError), "a damaged file of %d bytes" % len(data))
    world, jelly = rested()
    problem = world.problem()
    a = problem.arrays()
    error = a["A"].dot(problem.x_ref) - a["b"] - a["J"].T.dot(problem.r_ref)
    check(problem.contact_count >= len(world.contacts) and np.abs(error).max() < 1e-6 * np.abs(a["b"]).max(), "the problem of a step holds", problem)
    s = problem.solve("ica", tolerance=1e-6)
    check(s.solved and near(s.r[::3].sum(), problem.r_ref[::3].sum(), 1e-3 * problem.r_ref[::3].sum()), "and is solved anew", s)
    matrix = contact.CSR(a["J"].data, a["J"].indices, a["J"].indptr, a["J"].shape)
    again = contact.Problem.contacts(a["A"], a["b"], matrix, a["w"], a["mu"])
    check(near(again.solve("ica", tolerance=1e-6).r, s.r, 1e-9), "a problem from its matrices")


def test_kernels():
    """Numbers by hand; a bar of 1 m with E = 1, nu = 0 that is pulled to 1.1 m by its corner has the stress 0.1."""
    k = contact.kernels
    d, w = k.vertex_face([(0.25, 0.25, 2), (0, 0, 0), (1, 0, 0), (0, 1, 0)])
    check(d == 2 and near(w, (1, -0.5, -0.25, -0.25), 1e-15), "vertex and face", (d, w))
    d, w = k.edge_edge([(-1, 0, 1), (1, 0, 1), (0, -2, 0), (0, 2, 0)])
    check(d == 1 and near(w, (0.5, 0.5, -0.5, -0.5), 1e-15), "edges", (d, w))
    check(near(k.vertex_edge([(5, 3, 0), (-1, 0, 0), (1, 0, 0)])[0], 5, 1e-15), "vertex and edge")
    check(near(k.cone_project(1, (0, 2, 0)), (1, 1, 0), 1e-15) and near(k.cone_project(0.5, (-3, 0, 1)), 0, 0), "the cone")
    rest = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    now = rest * (1.1, 1, 1)
    tet = k.tet(rest, now, young=1, poisson=0)
    check(near(tet.energy, 0.5 * 0.1 ** 2 / 6, 1e-12) and near(tet.force[1], (-0.1 / 6, 0, 0), 1e-12) and near(tet.force.sum(0), 0, 1e-12), "a tet", tet)
    check(near(tet.stiffness, tet.stiffness.T, 1e-12) and near(tet.stiffness.dot(np.tile((1, 2, 3), 4)), 0, 1e-12), "its stiffness")
    errors = [raised(lambda: k.vertex_face([(0, 0, 0)])), raised(lambda: k.cone_project(-1, (1, 0, 0))), raised(lambda: k.tet(rest[[0, 2, 1, 3]], now)),
              raised(lambda: k.tet(rest, now, "membrane")), raised(lambda: k.tet(rest, now, yuong=1))]
    kinds = [contact.ArgumentError, contact.DomainError, contact.MeshError, contact.ArgumentError, TypeError]
    check([isinstance(e, c) for e, c in zip(errors, kinds)] == [True] * 5, "wrong arguments", errors)


def test_ccd():
    """A vertex falls on a triangle from height 1 to -1: it meets it in the middle, and is at h when (1 - h) / 2 are over."""
    face = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]
    x0, x1 = np.array([(0.2, 1, 0.2)] + face, float), np.array([(0.2, -1, 0.2)] + face, float)
    check(0.4999 < contact.ccd.vertex_face(x0, x1) <= 0.5 and abs(contact.ccd.vertex_face(x0, x1, 0.1) - 0.45) < 1e-4, "vertex and face")
    t = contact.ccd.vertex_face(np.stack([x0] * 5), np.stack([x1] * 4 + [x0]), 0.1)
    check(t.shape == (5,) and t[4] == 2 and (t[:4] == contact.ccd.vertex_face(x0, x1, 0.1)).all(), "a batch gives the same", t)
    points = np.concatenate([x0, x0])
    t = contact.ccd.vertex_face_batch(points, np.concatenate([x1, x0]), [[0, 1, 2, 3], [4, 5, 6, 7]], 0.1)
    check(t[1] == 2 and abs(t[0] - 0.45) < 1e-4, "a batch by indices")
    check(contact.ccd.vertex_face(x0.astype(np.float32), x1.astype(np.float32)) <= 0.5, "float")
    last, before = contact.ccd.vertex_face_backward(x0, x1, 0.1)
    check(abs(last - 0.55) < 1e-3 and abs(before - 0.45) < 1e-3, "backward", (last, before))
    edges0 = np.array([(-1, 1, 0), (1, 1, 0), (0, 0, -1), (0, 0, 1)], float)
    edges1 = edges0 - [[0, 2, 0], [0, 2, 0], [0, 0, 0], [0, 0, 0]]
    check(abs(contact.ccd.edge_edge(edges0, edges1) - 0.5) < 1e-6, "edge and edge")
    check(abs(contact.ccd.vertex_vertex([(0, 0, 0), (1, 0, 0)], [(1, 0, 0), (1, 0, 0)], 0.5) - 0.5) < 1e-6 and
          contact.ccd.vertex_edge(x0[:3], x0[:3], 1e-3) == 2, "vertices and edges")


# ---- misuse ----
def mistakes():
    """Ten that are typical: what is written, what it says. docs/python.md has the table."""
    world, jelly = jelly_world()
    gone = world.add_rigid(contact.Mesh.sphere(0.1, 1), position=(3, 3, 3))
    gone.remove()
    closed = contact.World()
    closed.close()
    box = contact.Mesh.box((1, 1, 1))
    flipped = contact.Mesh(box.positions, box.tets[:, [1, 0, 2, 3]])
    return [
        ('contact.World(thicknes=1e-3)', lambda: contact.World(thicknes=1e-3), TypeError,
         "World has no option 'thicknes'; did you mean 'thickness'?"),
        ('contact.World("cmrr")', lambda: contact.World("cmrr"), ValueError,
         "World: stepper: no 'cmrr'; it is one of cmr, dcd, barrier, layers, penalty, geometric, explicit"),
        ('contact.World(friction=-1)', lambda: contact.World(friction=-1), ValueError, "friction must be zero or positive [value -1]"),
        ('world.add_soft(mesh) with tets inside out', lambda: world.add_soft(flipped, name="box"), contact.MeshError,
         "(tet 0, volume -0.1667); tets[:, [1, 0, 2, 3]] turns them"),
        ('world.add_soft(contact.Mesh.grid())', lambda: world.add_soft(contact.Mesh.grid(), name="sheet"), contact.MeshError,
         "('sheet'): a soft body needs tets: "),
        ('jelly.nodes = jelly.nodes[:5]', lambda: setattr(jelly, "nodes", jelly.nodes[:5]), ValueError, "(27, 3) is expected, not (5, 3)"),
        ('jelly.add_force((0, nan, 0))', lambda: jelly.add_force((0, np.nan, 0)), ValueError, "body 'jelly': a force, an impulse or its point is NULL or not finite; numpy.isfinite"),
        ('removed.pose', lambda: gone.pose, contact.StaleIdError, "the body was removed, or never added (index 3) [body 3]; Body.alive tells"),
        ('closed.step(0.01)', lambda: closed.step(0.01), contact.ClosedError, "the world is closed"),
        ('contact.Mesh([[0, 0, 0]], tets=[[0.5, 1, 2, 3]])', lambda: contact.Mesh([[0, 0, 0]], tets=[[0.5, 1, 2, 3]]), TypeError,
         "tets: integers are expected, not float64"),
    ]


def test_mistakes():
    with open(os.path.join(ROOT, "docs", "python.md")) as f:
        page = f.read()
    for written, f, kind, text in mistakes():
        e = raised(f)
        check(isinstance(e, kind) and text in str(e), "%s: %s" % (written, text), "%s: %s" % (type(e).__name__, e))
        check("| `%s` | `%s` | %s |" % (written, type(e).__name__, e) in page, "docs/python.md has the text of %s" % written, e)


def test_cures():
    """Mistakes that would be passed over in silence, or whose cure is another name."""
    world, jelly = jelly_world()
    grid = contact.Mesh.grid()
    for f, kind, words in (
            (lambda: world.add_cloth(grid, stretch=500), contact.ArgumentError, ["add_cloth", "'membrane'", "'stretch'", "bending"]),
            (lambda: world.add_cloth(grid, model="springs", young=1e5), contact.ArgumentError, ["'springs'", "'young'", "stretch"]),
            (lambda: world.add_soft(contact.Mesh.box(), material={"areal_density": 1}), contact.ArgumentError, ["add_soft", "'areal_density'", "density"]),
            (lambda: world.body("jelly"), TypeError, ["World.find"]),
            (lambda: setattr(jelly, "positions", jelly.positions), AttributeError, ["nodes", "pose", "move_vertices"])):
        e = raised(f)
        check(isinstance(e, kind) and all(w in str(e) for w in words), "a mistake names %s" % words[-1], e)
    e = raised(lambda: jelly.move_pose((0, 0, 0), None, 0.1))
    check(str(e).count("ct_body_move_pose") == 1, "an error has the function's name once", e)
    check(world.add_cloth(grid, model="springs", stretch=500).alive and world.add_cloth(grid, young=1e5, damping_stiffness=0.01).alive,
          "options of the model are taken")


def test_judge():
    """The natural map of u = W r + w, r = (1, 1): u = (-2, -3), |r - max(0, r - u)| = 3, over the largest of w, 6; a solution has 0."""
    problem = contact.Problem.lcp([[2.0, 1], [1, 2]], [-5, -6])
    wrong, right = problem.judge([1, 1]), problem.judge([4 / 3, 7 / 3])
    check(not wrong.solved and abs(wrong.residual - 0.5) < 1e-12 and (wrong.r == 1).all() and wrong.iterations == 0, "the judge of a wrong answer", wrong)
    check(right.solved and right.residual < 1e-12, "the judge of the right answer", right)
    A, J, b = np.array([[3.0, 1, 0], [1, 2, 0], [0, 0, 1]]), np.array([[1.0, 0, 0], [0, 1, 1]]), np.array([-1.0, 1, 0])
    r = np.array([0.3, 0.2])
    judged = contact.Problem.qp(A, b, J, [0, -0.5]).judge(r)
    check(abs(A @ judged.x - b - J.T @ r).max() < 1e-12 and not judged.solved, "x follows from r", judged)


def test_numbers_of_errors():
    world, jelly = jelly_world()
    e = raised(lambda: jelly.pin([0, 99]))
    check(isinstance(e, contact.ArgumentError) and e.body == jelly and e.element == 1 and e.function == "ct_body_pin" and e.code == 1,
          "an error has body, element, function and code", (e, vars(e)))
    check(isinstance(e, ValueError) and e.text in str(e), "and is a ValueError")
    e = raised(lambda: contact.Mesh.read("/nowhere/a.obj"))
    check(isinstance(e, contact.FileError) and isinstance(e, OSError) and "/nowhere/a.obj" in str(e), "a file that is not there", e)


def hostile(world, jelly, other):
    """Calls that must raise, whatever they are given."""
    n = jelly.node_count
    nan3, big = (np.nan, 0, 0), 2**40
    yield from [
        lambda: jelly.pin([-1]), lambda: jelly.pin([n]), lambda: jelly.pin([big]), lambda: jelly.pin([0.5]), lambda: jelly.pin("all"),
        lambda: jelly.pin([0], axes="q"), lambda: jelly.pin([0], axes=0), lambda: jelly.pin([0], axes=big),
        lambda: jelly.pin([0], motion={"linear": nan3}), lambda: jelly.pin([0], motion=3),
        lambda: jelly.pin([0], segments=[{"linear": (0, 0, 0), "duration": np.nan}]), lambda: jelly.pin(None), lambda: jelly.add_force((1, 2)),
        lambda: jelly.add_force(nan3), lambda: jelly.add_force("abc"), lambda: jelly.add_force([[1, 2, 3]]),
        lambda: jelly.add_force((1, 2, 3), vertex=n), lambda: jelly.add_force((1, 2, 3), vertex=-1),
        lambda: jelly.add_force((1, 2, 3), (np.inf, 0, 0)), lambda: jelly.add_force((1j, 0, 0)), lambda: jelly.add_torque((0, 0, 1)),
        lambda: jelly.pose, lambda: jelly.momentum, lambda: setattr(jelly, "pose", (None, None)), lambda: setattr(jelly, "pose", 5),
        lambda: setattr(jelly, "friction", -1), lambda: setattr(jelly, "friction", None), lambda: setattr(jelly, "friction", np.nan),
        lambda: setattr(jelly, "thickness", 0), lambda: setattr(jelly, "thickness", np.inf),
        lambda: setattr(jelly, "nodes", np.full((n, 3), np.nan)), lambda: setattr(jelly, "nodes", np.zeros((n, 2))),
        lambda: setattr(jelly, "nodes", np.zeros((n + 1, 3))), lambda: setattr(jelly, "nodes", np.zeros((n, 3), complex)),
        lambda: setattr(jelly, "node_velocities", np.zeros(3 * n)), lambda: setattr(jelly, "masses", np.zeros(n)),
        lambda: setattr(jelly, "masses", []), lambda: setattr(jelly, "material", {"young": -1}), lambda: setattr(jelly, "material", {"yong": 1}),
        lambda: setattr(jelly, "material", 7), lambda: setattr(jelly, "filter", {"mask": -1}), lambda: setattr(jelly, "filter", {"group": big}),
        lambda: jelly.constrain(0, np.zeros((3, 3)) + 5), lambda: jelly.constrain(n, np.eye(3)), lambda: jelly.pin_impulse(n),
        lambda: jelly.get_positions(out=np.zeros((n + 1, 3))), lambda: jelly.get_positions(out=np.zeros((n, 3), int)),
        lambda: jelly.get_positions(out=np.zeros((3, n)).T), lambda: jelly.get_positions(out=[1]),
        lambda: jelly.get_positions(out=np.broadcast_to(0.0, (n, 3))), lambda: jelly.get_positions(dtype=np.int32),
        lambda: jelly.get_positions(dtype=object), lambda: jelly.move_vertices(np.zeros((n + 5, 3)), 0.01),
        lambda: jelly.move_vertices(np.zeros((2, 3)), 0.01, [0]), lambda: jelly.move_vertices(np.zeros((1, 3)), np.nan),
        lambda: jelly.set_skin([n]), lambda: jelly.set_skin([0, 0], 0.1), lambda: jelly.set_skin([0], -1),
        lambda: jelly.set_skin([0, 1], [1, 2, 3]), lambda: jelly.move_skin(np.zeros((1, 3)), 0.1), lambda: world.step(0), lambda: world.step(-1),
        lambda: world.step(np.nan), lambda: world.step("1"), lambda: world.step(None), lambda: world.step(10**400),
        lambda: world.cast_ray((0, 0), (0, 1, 0)), lambda: world.cast_ray(nan3, (0, 1, 0)), lambda: world.cast_ray(None, None),
        lambda: world.overlap_mesh(contact.Mesh(np.zeros((1, 3)))), lambda: world.overlap_sphere((0, 0, 0), -1), lambda: world.overlap_mesh(3),
        lambda: world.overlap_mesh(contact.Mesh(np.zeros((1, 3)), triangles=[[0, 1, 9]])),
        lambda: world.cast_ray((0, 0, 0), (0, 1, 0), {"mask": "x"}), lambda: world.add_joint("hinge", jelly, None),
        lambda: world.add_joint("ball", None, None), lambda: world.add_joint("glue", jelly), lambda: world.add_joint("ball", (jelly, [0, 1, 2, 3])),
        lambda: world.add_joint("ball", (jelly, 99)), lambda: world.add_joint("ball", 3),
        lambda: world.add_joint("ball", (jelly, [0, 1], [9.0, 9.0])), lambda: world.add_joint("stitch", other.bodies[0], jelly),
        lambda: world.body(other.bodies[0]), lambda: world.body(3), lambda: world.body((-1, 2)), lambda: world.body((99, 99)).friction,
        lambda: world.body((0, 0)).remove(), lambda: world.joint((5, 5)).remove(), lambda: world.find("a\0b"), lambda: world.find(3),
        lambda: world.add_soft(None), lambda: world.add_soft(contact.Mesh(np.zeros((0, 3)))),
        lambda: world.add_soft(contact.Mesh.box(), young=np.nan), lambda: world.add_soft(contact.Mesh.box(), position=(0, 0)),
        lambda: world.add_soft(contact.Mesh.box(), rotation=(0, 0, 0, 0)), lambda: world.add_soft(contact.Mesh.box(), model="jam"),
        lambda: world.add_soft(contact.Mesh.box(), cookie=3), lambda: world.add_cloth(contact.Mesh.box()),
        lambda: world.add_soft(contact.Mesh(np.full((4, 3), np.nan), [[0, 1, 2, 3]])),
        lambda: world.add_soft(contact.Mesh(np.eye(4, 3), [[0, 1, 2, 9]])), lambda: world.add_soft(contact.Mesh(np.eye(4, 3), [[0, 1, 2, -1]])),
        lambda: world.add_rigid(contact.Mesh.grid()), lambda: world.add_rod(contact.Mesh.grid()),
        lambda: world.add_points(np.zeros((2, 3)), masses=[1]), lambda: world.add_points(np.zeros((2, 2))), lambda: world.add_plane((0, 0, 0)),
        lambda: world.add_kinematic(contact.Mesh.box(), keyframes=np.zeros((2, 3, 3))), lambda: world.add_kinematic(contact.Mesh.box(), segments=3),
        lambda: world.add_soft(contact.Mesh.box(), name=3), lambda: world.add_soft(contact.Mesh.box(), name="a\0"),
        lambda: setattr(world, "gravity", (1, 2)), lambda: setattr(world, "gravity", nan3), lambda: world.set_options(friction=0.1),
        lambda: world.set_options(3), lambda: world.save_file("/no/where"), lambda: world.restore_file("/no/where"), lambda: world.restore("text"),
        lambda: world.restore(b"x" * 100), lambda: world.dump_problem("/no/where.cpb"), lambda: world.vertices(out=np.zeros((1, 6))),
        lambda: world.draw(triangle=3), lambda: world.draw(impulse_scale=np.nan), lambda: world.draw(cookie=1), lambda: contact.World(real=16),
        lambda: contact.World(workers=-1), lambda: contact.World(workers=10**9), lambda: contact.World(gravity="down"),
        lambda: contact.World(solver={"tolerance": 0}), lambda: contact.World(solver=3), lambda: contact.World(log=3),
        lambda: contact.World(allocator={}), lambda: contact.World(solver="lemke"), lambda: contact.World(stepper=99),
        lambda: contact.World(stepper=1.5), lambda: contact.World("dcd", game=True), lambda: contact.World(max_halvings=2**31),
        lambda: contact.World(origin=(0, 0, np.inf)), lambda: contact.Mesh([1, 2, 3]), lambda: contact.Mesh([[1, 2]]), lambda: contact.Mesh("abc"),
        lambda: contact.Mesh([[0, 0, 0]], tets=[[0, 1, 2]]), lambda: contact.Mesh([[0, 0, 0]], triangles=[[0, 1, big]]),
        lambda: contact.Mesh([[0, 0, 0], [1]]), lambda: setattr(contact.Mesh.box(), "normals", 1), lambda: contact.Mesh.box((0, 1, 1)),
        lambda: contact.Mesh.box((1, 1, 1), (0, 1, 1)), lambda: contact.Mesh.box((1, 1, 1), (1.5, 1, 1)), lambda: contact.Mesh.sphere(1, 99),
        lambda: contact.Mesh.sphere(np.nan), lambda: contact.Mesh.grid((1, 1), (10**6, 10**6)), lambda: contact.Mesh.read(3),
        lambda: contact.Mesh.read(__file__), lambda: contact.Mesh.box().write("/tmp/a.png"), lambda: contact.Mesh.box().transformed(scale=0),
        lambda: contact.Mesh(np.zeros((1, 3)), triangles=[[0, 5, 9]]).welded(0.1),
        lambda: contact.Mesh(np.zeros((1, 3)), triangles=[[0, 5, 9]]).intersections(),
        lambda: contact.Mesh(np.zeros((1, 3)), triangles=[[0, 5, 9]]).tetrahedralized(), lambda: contact.Mesh.grid().tetrahedralized(),
        lambda: contact.Mesh(np.zeros((1, 3)), triangles=[[0, 5, 9]]).write("/tmp/never.obj"), lambda: contact.Mesh.box().welded(np.nan),
    ]


def hostile_problems():
    eye = np.eye(2)
    P, ok = contact.Problem, contact.Problem.qp(eye, [1, 1], eye, [0, 0])
    x = np.zeros((4, 3))
    yield from [
        lambda: P.qp(eye, [1], eye, [0, 0]), lambda: P.qp(eye, [1, 1], np.eye(3), [0, 0, 0]), lambda: P.qp([[0, 1], [0, 0]], [1, 1], eye, [0, 0]),
        lambda: P.qp(eye, [1, np.nan], eye, [0, 0]), lambda: P.qp(eye, [1, 1], eye, [0]), lambda: P.qp((1, 2, 3), [1], eye, [0]),
        lambda: P.qp(([1.0], [5], [0, 1, 1], (2, 2)), [1, 1], eye, [0, 0]), lambda: P.qp(([1.0], [0], [0, 1, 9], (2, 2)), [1, 1], eye, [0, 0]),
        lambda: P.qp(([1.0], [0], [0, 9, 1], (2, 2)), [1, 1], eye, [0, 0]), lambda: P.qp(([1.0], [-1], [0, 1, 1], (2, 2)), [1, 1], eye, [0, 0]),
        lambda: P.qp(([1.0], [0], [0, 1], (10**12, 2)), [1, 1], eye, [0, 0]), lambda: P.qp(None, [1, 1], eye, [0, 0]),
        lambda: P.local(np.eye(4), np.zeros(4), [1]), lambda: P.local(np.eye(3), np.zeros(3), [-1]), lambda: P.local(np.eye(3), np.zeros(3), []),
        lambda: P.lcp(eye, [0, 0], [0, 0], None), lambda: P.lcp(eye, [0, 0], [1, 1], [0, 0]), lambda: P.qp(eye, [1, 1], eye, [0, 0], equation=[1]),
        lambda: P.read("/no/where.cpb"), lambda: P.read(3), lambda: P.read(__file__), lambda: ok.write("/tmp/a.lcp"), lambda: ok.solve("jam"),
        lambda: ok.solve(tolerance=-1), lambda: ok.solve(tolerance=np.nan), lambda: ok.solve(x=[0, 0]), lambda: ok.solve(x=[0], r=[0]),
        lambda: ok.solve(x=[np.nan, 0], r=[0, 0]), lambda: ok.solve(watch=3), lambda: ok.solve(budget=-1), lambda: ok.solve(cone=9),
        lambda: ok.solve(solver="geometric_cg"), lambda: ok.solve(jam=1), lambda: ok.solve(watch=lambda i, x, r: 1 / 0),
        lambda: contact.ccd.vertex_face(x, x[:3]), lambda: contact.ccd.vertex_face(x[:3], x[:3]), lambda: contact.ccd.vertex_face(x * np.nan, x),
        lambda: contact.ccd.vertex_face(x, x, -1), lambda: contact.ccd.vertex_face_batch(x, x, [[0, 1, 2, 4]]),
        lambda: contact.ccd.edge_edge_batch(x, x, [[0, 1, -1, 2]]), lambda: contact.ccd.vertex_edge(x, x),
        lambda: contact.ccd.vertex_face("a", "b"), lambda: contact.ccd.edge_edge_backward(x, x, np.inf),
    ]


def test_hostile():
    world, jelly = jelly_world()
    other, _ = jelly_world()
    before = world.hash
    quiet = [i for i, f in enumerate(hostile(world, jelly, other)) if raised(f) is None]
    check(not quiet, "misuse of worlds raises", quiet)
    check(world.hash == before and world.body_count == 2, "and changes nothing")
    quiet = [i for i, f in enumerate(hostile_problems()) if raised(f) is None]
    check(not quiet, "misuse of problems and kernels raises", quiet)
    world.step(0.01)
    wrong = []
    for gone in ("removed", "closed"):
        jelly.remove() if gone == "removed" else world.close()
        for name in dir(contact.Body):
            if isinstance(getattr(contact.Body, name), property) and name not in ("world", "id"):
                e = raised(lambda: getattr(jelly, name))
                wrong += [] if isinstance(e, (contact.StaleIdError, contact.ClosedError)) or name == "alive" else [(gone, name, e)]
    check(not wrong, "every property of a removed body, and of a closed world, raises", wrong)
    calls = [world.step, world.save, lambda: world.contacts, lambda: world.events, world.draw, world.validate, lambda: world.bodies,
             lambda: world.time,
             lambda: world.cast_ray((0, 0, 0), (0, 1, 0)), lambda: world.options, lambda: world.add_plane(), world.problem, world.__enter__]
    check(all(isinstance(raised(f), contact.ClosedError) for f in calls) and world.closed and "closed" in repr(world), "a closed world raises")
    world.close()


def test_random_misuse():
    """Every function with whatever comes: exceptions of the right kinds, no crash, and the world steps on."""
    rng = np.random.default_rng(int(os.environ.get("CONTACT_TEST_SEED", 1)))
    skip = {"write", "save_file", "restore_file", "dump_problem", "read", "from_meshio", "to_meshio", "tetrahedralized", "close", "problem", "arrays",
            "solve", "sphere", "alive"}
    calls, wrong = int(os.environ.get("CONTACT_TEST_CALLS", 3000)), []
    box, sheet = contact.Mesh.box((0.2, 0.2, 0.2)), contact.Mesh.grid((0.3, 0.3), (2, 2))
    for k in range(calls):
        if k % 150 == 0:
            world, jelly = jelly_world()
            other, stranger = jelly_world(real=32)
            things = [world, jelly, world.add_rigid(contact.Mesh.sphere(0.1, 1), position=(1, 1, 1)), world.add_cloth(sheet, position=(3, 1, 0)), box,
                      world.add_kinematic(box, position=(0, 2, 0)), world.add_plane(offset=-9),
                      world.add_rod(contact.Mesh.line([(0, 3, 0), (1, 3, 0)]))]
            things.append(world.add_joint("hinge", things[2], None, axis=(0, 0, 1)))
            pool = [None, 0, 1, -1, 3, 2.5, 2**31, 2**63, np.nan, np.inf, -1e300, "cmr", "xyz", "", "\0", b"x", True, {}, {"mask": 3},
                    {"linear": (1, 0, 0)}, (), (0, 1, 0), (1, 2), (np.nan, 0, 0), np.zeros((0, 3)), np.zeros((8, 3)), np.ones((27, 3)),
                    np.ones((27, 3))[::2], np.arange(8),
                    np.zeros(3, complex), np.zeros((8, 3), np.float32), np.array("a"), np.array([None]), [[1, 2], [3]], [0, 1], [99], stranger,
                    jelly, box,
                    sheet, lambda *a: 1 / 0, lambda *a: None, contact.Stepper.DCD, world, slice(3), np.eye(3), object()]
        thing = things[rng.integers(len(things))]
        names = [n for n in dir(thing) if not n.startswith("_") and n not in skip]
        name = names[rng.integers(len(names))]
        given = [pool[i] for i in rng.integers(len(pool), size=rng.integers(0, 4))]
        try:
            if isinstance(getattr(type(thing), name, None), property) or not callable(getattr(thing, name)):
                setattr(thing, name, (given + [None])[0]) if rng.random() < 0.7 and not isinstance(thing, contact.Mesh) else getattr(thing, name)
            else:
                getattr(thing, name)(*given)
            if k % 10 == 0:
                world.step(0.01)
        except (contact.ContactError, TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError):
            pass
        except Exception as e:
            wrong.append((type(thing).__name__, name, given, e))
    check(not wrong, "%d random calls" % calls, wrong[:3])


def test_callbacks():
    seen = []

    def meet(a, b):
        seen.append((a, b))
        raise KeyError("mine")
    world, _ = jelly_world(may_meet=meet)
    check(isinstance(raised(lambda: world.step(0.01)), KeyError) and len(seen) == 1, "an exception in a function comes out of the step")
    check(raised(lambda: world.bodies[1].positions) is None and world.body_count == 2, "and the world goes on")
    inside = []
    world = contact.World(may_meet=lambda a, b: inside.append(raised(lambda: world.step(0.01))) or inside.append(raised(lambda: a.friction)) or True)
    world.add_plane()
    world.add_rigid(contact.Mesh.sphere(0.1, 1), position=(0, 0.1005, 0))
    world.step(0.01)
    check(inside and all(isinstance(e, contact.ArgumentError) for e in inside), "a function may not call its world", inside[:2])
    kept = []
    world = contact.World(wind_field=lambda t, x, v: kept.append((x, v)) or v + (5, 0, 0), gravity=(0, 0, 0))
    flag = world.add_cloth(contact.Mesh.grid((1, 1), (2, 2)), areal_density=0.1)
    flag.air = {"drag": 1}
    flag.nodes = flag.nodes[:, [1, 0, 2]]
    for _ in range(20):
        world.step(0.01)
    world.close()
    check(len(kept) == 20 and kept[0][0].shape == (9, 3) and np.isfinite(kept[0][0]).all(), "a wind field, whose arrays are mine")
    bad = contact.World(wind_field=lambda t, x, v: np.zeros((1, 3)))
    sheet = bad.add_cloth(contact.Mesh.grid())
    sheet.air = {"drag": 1}
    check(isinstance(raised(lambda: bad.step(0.01)), contact.ArgumentError), "a wind field of the wrong shape")
    world, _ = jelly_world()
    check(isinstance(raised(lambda: world.cast_ray((0, 5, 0), (0, -9, 0), {"accept": lambda b: 1 / 0})), ZeroDivisionError), "one in a query")
    check(isinstance(raised(lambda: world.draw(triangle=lambda *a: 1 / 0)), ZeroDivisionError), "one in drawing")
    A, b, J, w = small_qp()
    check(isinstance(raised(lambda: contact.Problem.qp(A, b, J, w).solve("pgs", trace=lambda s: 1 / 0)), ZeroDivisionError), "one in a solve")
    lines = []
    contact.World(log=lambda level, text: lines.append((level, text)), friction=0.1).close()
    loop = contact.World(log=lambda level, text: lines.append(loop))
    del loop
    gc.collect()


def test_threads():
    world, jelly = jelly_world(workers=2)
    errors = []

    def work(k):
        try:
            for _ in range(15):
                world.step(0.005) if k % 2 else (world.contacts["point"].sum(), jelly.positions, jelly.add_force((0, 1, 0)), world.save())
        except Exception as e:
            errors.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check(not errors and abs(world.time - 30 * 0.005) < 1e-9, "threads that share a world wait for each other", errors)
    ticks, end = [0], [False]

    def count():
        while not end[0]:
            ticks[0] += 1
            time.sleep(0)
    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(5):
        world.step(0.005)
    end[0] = True
    thread.join()
    check(ticks[0] > 0, "steps let other threads run")
    one, two = (rested(workers=k)[0].hash for k in (0, 2))
    check(one == two, "the same bits with two workers")


def test_many_worlds():
    """Worlds that come and go leave nothing."""
    for _ in range(200):
        world = contact.World()
        world.add_rigid(contact.Mesh.box((1, 1, 1), tets=False))
        view = world.bodies[0].triangles
        if _ % 2:
            world.close()
    ref = weakref.ref(world._handle) if world._handle else weakref.ref(view)
    del world, view
    gc.collect()
    check(ref() is None, "worlds come and go")
    kept = []
    for _ in range(3):
        world = contact.World(may_meet=lambda a, b: world is not None, log=lambda level, text: world)
        world.add_plane()
        world.user = world
        kept.append(weakref.ref(world._handle))
    del world
    gc.collect()
    check(not any(r() for r in kept), "also those whose functions know them")


def test_install():
    """The wheel: sources as an archive has them, built by pip beside libraries that are there, installed in an environment of its own."""
    for name in ("pip", "setuptools", "wheel", "pycparser"):
        if importlib.util.find_spec(name) is None:
            return print("SKIPPED python install: the Debian package python3-%s is missing" % name)
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "source")
        subprocess.run(["cp", "-r", os.path.join(ROOT, "python"), source], check=True)
        subprocess.run(["cp", os.path.join(ROOT, "contact.h"), source], check=True)
        env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        env["CONTACT_PYTHON_LIBRARIES"] = os.path.join(ROOT, "build")
        p = subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel"], cwd=source, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wheels = os.listdir(source + "/dist") if p.returncode == 0 else []
        if not check(len(wheels) == 1 and "-py3-none-" in wheels[0], "a wheel for every Python", p.stdout.decode()[-500:]) and not wheels:
            return
        p = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", work + "/site",
                            source + "/dist/" + wheels[0]], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code = "import contact; w = contact.World(); w.add_plane(); print(contact.__file__, w.step().status.name, contact.__version__)"
        q = subprocess.run([sys.executable, "-c", code], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env=dict(env, PYTHONPATH=work + "/site"))
        check(p.returncode == 0 and q.stdout.decode().split()[1:] == ["OK", contact.__version__] and work in q.stdout.decode(), "pip installs it",
              p.stdout.decode() + q.stdout.decode())


# what each figure's numbers have to say: a pattern in what its script prints, and a test of its numbers
CLAIMS = {
    "otaduy_2009": (r"at most three rounds in ([\d.]+) %", lambda rounds: rounds > 90),
    "li_2015": (r"mprgp +solved, \d+ iterations, residual (\S+),", lambda residual: residual < 1e-8),
    "hong_2006": (r"existing contacts penetrate by at most (\S+) edges, new ones by (\S+);", lambda held, first: held < 1e-3 < first),
    "volino_2000": (r"global .*the mean (\S+);(?:.|\n)*successive .*the mean (\S+);", lambda one, other: abs(one - 1) < 0.03 < abs(other - 1)),
    "notes": (r"\(CMR\).* rest (\S+) of(?:.|\n)*largest error (\S+) m", lambda rest, error: abs(rest - 1) < 0.01 and error < 0.1),
}


def test_figures():
    """Each script draws its figure in less than 10 s of CPU, and its numbers hold."""
    if importlib.util.find_spec("matplotlib") is None:
        return print("SKIPPED python figures: the Debian package python3-matplotlib is missing")
    folder = os.path.join(ROOT, "python", "figures")
    check(sorted(CLAIMS) == sorted(n[:-3] for n in os.listdir(folder) if n.endswith(".py")), "every figure has a claim")
    env = dict(os.environ, PYTHONPATH=PACKAGE, MPLCONFIGDIR=os.path.join(ROOT, "build", "matplotlib"))
    with tempfile.TemporaryDirectory() as work:
        for name, (pattern, holds) in CLAIMS.items():
            path, out, start = os.path.join(folder, name + ".py"), os.path.join(work, name + ".png"), os.times()
            p = subprocess.run([sys.executable, path, out], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            seconds = os.times().children_user - start.children_user
            said = re.search(pattern, p.stdout.decode())
            drawn = p.returncode == 0 and os.path.getsize(out) > 10000
            check(drawn and said and holds(*[float(n) for n in said.groups()]), "figure %s" % name, p.stdout.decode()[-600:])
            with open(path) as f:
                check(len(f.readlines()) < 80 and seconds < 10, "figure %s is short" % name, seconds)


def find_python():
    """The Python with numpy that deps.sh has found; "" where there is none."""
    try:
        with open(os.path.join(ROOT, "build", "deps", "python.mk")) as f:
            return re.search(r"NUMPY_PYTHON := *(\S*)", f.read()).group(1)
    except (OSError, AttributeError):
        return ""


def main():
    global np, contact, _abi
    python = find_python()
    if not python:
        print("SKIPPED python: numpy or pycparser is missing (the Debian packages python3-numpy and python3-pycparser)")
        return 0
    if not os.environ.get("CONTACT_TEST_PYTHON"):
        os.execve(python, [python] + sys.argv, dict(os.environ, CONTACT_TEST_PYTHON="1"))
    sys.path.insert(0, PACKAGE)
    faulthandler.enable()
    import contact
    import numpy as np
    from contact import _abi
    if "--mistakes" in sys.argv:
        for written, f, _, _ in mistakes():
            e = raised(f)
            print("| `%s` | `%s` | %s |" % (written, type(e).__name__, e))
        return 0
    for name, f in list(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 2 or any(a in name for a in sys.argv[1:])):
            start = time.process_time()
            try:
                f()
            except Exception as e:
                import traceback
                traceback.print_exc(file=sys.stdout)
                check(False, name, e)
            if os.environ.get("CONTACT_TEST_TIMES"):
                print("%-24s %.2f s" % (name, time.process_time() - start))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
