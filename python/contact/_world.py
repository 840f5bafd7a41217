"""_world.py -- World: bodies, steps, and what they say."""
from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _abi
from ._abi import Hit, Options, Pair, Report
from ._body import Body, Joint, side
from ._errors import ArgumentError, ClosedError, ContactError
from ._handle import Callbacks, Handle
from ._library import Library, keeper, library
from ._mesh import Mesh
from ._options import at, fill, motion, path, point, text, vector
from ._problem import Problem
from ._record import enum_of, hint, integer, number, numbers

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

BodyLike = Union[Body, Tuple[int, int], Any]

# the fields of ct_material that a model uses, beside its dampings: an option that does nothing is refused
SOLID = ["young", "poisson", "density"]
MATERIAL: Dict[int, List[str]] = {
    _abi.Model.MEMBRANE: ["young", "poisson", "shell_thickness", "bending", "areal_density"],
    _abi.Model.SPRINGS: ["stretch", "shear", "bend", "areal_density", "strain_limit"]}


class Events(NamedTuple):
    """What has happened in the last step: rows of ct_touch (begin, stay, hit), ct_body_pair (end, sensor_*), ct_joint_break."""
    begin: Any
    stay: Any
    hit: Any
    end: Any
    sensor_begin: Any
    sensor_end: Any
    joint_break: Any


class Drawing(NamedTuple):
    """What ct_world_draw draws, as arrays; colours are 0xRRGGBB."""
    triangles: "NDArray[Any]"
    triangle_colors: "NDArray[Any]"
    lines: "NDArray[Any]"
    line_colors: "NDArray[Any]"
    points: "NDArray[Any]"
    radii: "NDArray[Any]"
    point_colors: "NDArray[Any]"


class World:
    """One simulation. Options are the fields of ct_world_desc; a stepper's own ones are a dict, as in World("dcd", dcd={"recovery": 1}).

    real      64 or 32: the precision
    game      True: the options of ct_world_desc_default_game
    workers   threads of a step; results have the same bits with any number
    clock     True: reports have milliseconds
    log, may_meet, wind_field   functions (level, text), (a, b) -> bool, (time, points, velocities) -> velocities or None
    A world may be used by several threads: they wait for each other. The with statement closes it.
    """

    def __init__(self, stepper: Union[_abi.Stepper, str, int, None] = None, *, real: int = 64, game: bool = False, workers: int = 0,
                 clock: bool = True, **options: "Unpack[_abi.WorldArguments]") -> None:
        self._lib = lib = library(real)
        self._handle: Optional[Handle] = None
        given: Dict[str, Any] = dict(options)
        if stepper is not None:
            desc = lib.call.ct_world_desc_default_for(enum_of("ct_stepper", stepper, "World: stepper"))
        else:
            desc = lib.call.ct_world_desc_default_game() if game else lib.call.ct_world_desc_default()
        if game and stepper not in (None, "cmr", _abi.Stepper.CMR):
            raise ArgumentError("World: game is of the stepper cmr")
        callbacks = Callbacks()
        self._functions(lib, desc, given, callbacks)
        fill(desc, given, "World")
        desc.tasks.worker_count = integer(workers, "World: workers")
        if clock:
            desc.now_us = ctypes.cast(keeper().contact_keeper_now_us, dict(type(desc)._fields_)["now_us"])
        self._data: Dict[Tuple[int, int], Any] = {}
        self._fresh = False  # queries are up to date
        handle = Handle(lib, callbacks)
        handle.create(desc)
        self._handle = handle

    def _functions(self, lib: Library, desc: Any, given: Dict[str, Any], callbacks: Callbacks) -> None:
        """The user's functions in a description."""
        kinds = dict(type(desc)._fields_)
        for name, otherwise in (("log", None), ("may_meet", 1), ("wind_field", None)):
            f = given.pop(name, None)
            if f is not None:
                wrapped = {"log": self._log, "may_meet": self._may_meet, "wind_field": self._wind}[name](f)
                thunk = callbacks.wrap(kinds[name], wrapped if callable(f) else f, otherwise, "World: " + name)
                callbacks.kept.append(thunk)
                setattr(desc, name, thunk)
        trace = given.get("solver")
        if isinstance(trace, dict) and ("watch" in trace or "trace" in trace):
            raise ArgumentError("World: solver: watch and trace are for Problem.solve")

    @staticmethod
    def _log(f: Callable[[int, str], Any]) -> Callable[..., None]:
        def log(level: int, message: bytes, _user: Any) -> None:
            f(_abi.LogLevel(level), message.decode("utf-8", "replace"))
        return log

    def _may_meet(self, f: Callable[[Body, Body], Any]) -> Callable[..., int]:
        this = weakref.ref(self)  # the world ends with its last reference, unless f has one

        def may_meet(a: Any, b: Any, _user: Any) -> int:
            world = this()
            return 1 if world is None else int(bool(f(world.body((a.index1, a.generation)), world.body((b.index1, b.generation)))))
        return may_meet

    def _wind(self, f: Callable[..., Any]) -> Callable[..., None]:
        """Points and velocities are copies: what a function keeps of them stays its own."""
        dtype = self._lib.dtype

        def wind(_user: Any, time: float, points: int, velocities: int, n: int) -> None:
            given = [np.frombuffer(ctypes.string_at(p, 3 * n * dtype.itemsize), dtype).reshape(n, 3).copy() for p in (points, velocities)]
            result = f(time, *given)
            result = numbers(given[1] if result is None else result, "wind_field: its result", (n, 3), dtype)
            ctypes.memmove(velocities, result.ctypes.data, result.nbytes)
        return wind

    # ---- life ----
    def close(self) -> None:
        """Ends the world. Its memory goes with the last array that shows it. A closed world refuses all calls."""
        self._handle = None
        self._data = {}

    @property
    def closed(self) -> bool:
        return self._handle is None

    def __enter__(self) -> "World":
        self._alive()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "World(closed)"
        return "World(%s, time=%g, %d bodies)" % (self.options.stepper.name.lower(), self.time, self.body_count)

    def _alive(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ClosedError("the world is closed; make another one, and close it when it has ended")
        return handle

    def _call(self, name: str, *arguments: Any) -> None:
        self._alive().call(self, name, *arguments)

    def _change(self, name: str, *arguments: Any) -> None:
        """A call after which queries are out of date."""
        handle = self._alive()
        with handle.lock:
            self._fresh = False
            handle.call(self, name, *arguments)

    def _get(self, name: str, body: Any, n: int, *, parts: int = 1) -> Any:
        """Numbers that a function writes into `parts` arrays of n."""
        arrays = [np.zeros(n, self._lib.dtype) for _ in range(parts)]
        self._call(name, *([body] if body is not None else []), *[at(a) for a in arrays])
        return arrays[0] if parts == 1 else tuple(arrays)

    # ---- steps ----
    def step(self, dt: float = 0.01) -> Report:
        """Advances by dt seconds. Numerical trouble is no exception: the report's status tells how well the step went."""
        report = self._lib.struct["ct_step_report"]()
        self._change("ct_world_step", number(dt, "step: dt"), ctypes.byref(report))
        return Report(report, self._lib.real)

    @property
    def time(self) -> float:
        return float(self._alive().ask("ct_world_time"))

    @property
    def hash(self) -> int:
        """Of positions, velocities, multipliers, time, and the history that integrators keep."""
        return int(self._alive().ask("ct_world_hash"))

    @property
    def options(self) -> Options:
        """The options as they are now. What set_options names can be changed and set again."""
        desc = self._lib.struct["ct_world_desc"]()
        self._call("ct_world_get_desc", ctypes.byref(desc))
        return Options(desc, self._lib.real)

    def set_options(self, options: Optional[Options] = None, **changes: "Unpack[_abi.WorldArguments]") -> None:
        """From the next step on: solver, newton_iterations, cmr_rounds, max_halvings, recovery_speed, sleep_time, sleep_speed, frame_work, frame_ms,
        hit_speed, gravity."""
        own = self.options
        if options is not None:
            if not isinstance(options, Options) or type(options._c) is not type(own._c):
                raise TypeError("set_options: what World.options of this precision gives is expected, or keyword arguments")
            own = options.__copy__()
        fill(own._c, dict(changes), "set_options")
        self._call("ct_world_set_options", ctypes.byref(own._c))

    @property
    def gravity(self) -> "NDArray[Any]":
        return self._get("ct_world_get_gravity", None, 3)

    @gravity.setter
    def gravity(self, value: "ArrayLike") -> None:
        self._change("ct_world_set_gravity", at(vector(self._lib, value, "gravity")))

    @property
    def wind(self) -> "NDArray[Any]":
        return self._get("ct_world_get_wind", None, 3)

    @wind.setter
    def wind(self, value: "ArrayLike") -> None:
        self._change("ct_world_set_wind", at(vector(self._lib, value, "wind")))

    @property
    def allocations(self) -> Tuple[int, int]:
        """Calls of the allocator so far, and bytes that live."""
        calls, size = ctypes.c_int64(), ctypes.c_int64()
        self._alive().ask("ct_world_allocations", ctypes.addressof(calls), ctypes.addressof(size))
        return calls.value, size.value

    # ---- results: views ----
    def _list(self, name: str, struct: str) -> Any:
        pointer, n, handle = ctypes.c_void_p(), ctypes.c_int(), self._alive()
        with handle.lock:
            handle.call(self, name, ctypes.addressof(pointer), ctypes.addressof(n))
            return handle.view(pointer.value, (n.value,), self._lib.rows[struct])

    @property
    def contacts(self) -> "NDArray[Any]":
        """Contacts of the last step as rows of ct_contact: contacts["point"] is (n, 3). A view of the world's memory without a copy: the next step
        writes there; .copy() keeps it."""
        return self._list("ct_world_contacts", "ct_contact")

    @property
    def events(self) -> Events:
        """What began, stayed, hit and ended in the last step: views until the next one."""
        c, handle = self._lib.struct["ct_events"](), self._alive()
        structs = dict(zip(Events._fields, ["ct_touch"] * 3 + ["ct_body_pair"] * 3 + ["ct_joint_break"]))
        with handle.lock:
            handle.call(self, "ct_world_events", ctypes.byref(c))
            return Events(*[handle.view(ctypes.cast(getattr(c, n), ctypes.c_void_p).value, (getattr(c, "n_" + n),), self._lib.rows[s])
                            for n, s in structs.items()])

    def validate(self) -> "NDArray[Any]":
        """Every pair of features that intersects now, as rows of ct_pair, by an exact test."""
        return self._list("ct_world_validate", "ct_pair").copy()

    def repair(self) -> Tuple[int, int]:
        """Moves bodies that intersect apart, before the first step: how many pairs were freed, and how many are left."""
        freed, left = ctypes.c_int(), ctypes.c_int()
        self._change("ct_world_repair", ctypes.addressof(freed), ctypes.addressof(left))
        return freed.value, left.value

    def vertices(self, out: Optional["NDArray[Any]"] = None, dtype: Any = np.float64) -> "NDArray[Any]":
        """Positions and normals of all bodies, one after another, as rows x y z nx ny nz: a vertex buffer. `out`: (n, 6), float32 or float64."""
        n = ctypes.c_int()
        handle = self._alive()
        with handle.lock:
            count = sum(b.vertex_count for b in self.bodies)
            array = np.empty((count, 6), dtype) if out is None else output(out, (count, 6))
            kind = scalar_kind(array)
            size = array.dtype.itemsize
            first = array.ctypes.data if array.size else None
            handle.call(self, "ct_world_get_vertices", first, first and first + 3 * size, kind, 6 * size, count, ctypes.addressof(n))
        return array

    # ---- snapshots ----
    def save(self) -> bytes:
        """The state of the world, for restore."""
        size, handle = ctypes.c_size_t(), self._alive()
        with handle.lock:
            handle.call(self, "ct_world_snapshot_size", ctypes.addressof(size))
            data = ctypes.create_string_buffer(max(1, size.value))
            handle.call(self, "ct_world_snapshot_save", ctypes.addressof(data), size.value, ctypes.addressof(size))
        return data.raw[:size.value]

    def restore(self, data: bytes) -> None:
        """Back to what save gave, of this world or of one with equal bodies."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError("restore: bytes are expected, not %s" % type(data).__name__)
        raw = ctypes.create_string_buffer(bytes(data), len(data))
        self._change("ct_world_snapshot_restore", raw, len(raw))

    def _file(self, name: str, path: Any) -> None:
        """A function of a file, which its errors name."""
        try:
            self._change(name, text(path, "path"))
        except ContactError as e:
            raise e.about(str(path)) from None

    def save_file(self, path: "Union[str, PathLike[str]]") -> None:
        self._file("ct_world_snapshot_write", path)

    def restore_file(self, path: "Union[str, PathLike[str]]") -> None:
        self._file("ct_world_snapshot_read", path)

    # ---- bodies ----
    @property
    def body_count(self) -> int:
        return int(self._alive().ask("ct_world_body_count"))

    def _ids(self, name: str, struct: str) -> List[Tuple[int, int]]:
        handle = self._alive()
        with handle.lock:
            n = handle.ask(name, None, 0)
            ids = (self._lib.struct[struct] * max(1, n))()
            handle.ask(name, ids, n)
        return [(i.index1, i.generation) for i in ids[:n]]

    @property
    def bodies(self) -> List[Body]:
        return [Body(self, i) for i in self._ids("ct_world_get_bodies", "ct_body_id")]

    def find(self, name: str) -> Optional[Body]:
        """The first body of this name, or None."""
        i = self._alive().ask("ct_world_find_body", text(name, "find: name"))
        return Body(self, (i.index1, i.generation)) if i.index1 else None

    def body(self, i: Any) -> Body:
        """The body of an id, as contacts["body_a"][k] or events have it. It may have been removed: its calls then raise StaleIdError."""
        if isinstance(i, Body):
            if i.world is not self:
                raise ArgumentError("%r is of another world" % i)
            return i
        return Body(self, i)

    def _add(self, kind: str, options: Dict[str, Any], mesh: Any, name: str, special: Callable[[Any, List[Any]], None]) -> Body:
        """Fills a description, adds the body."""
        where, struct = "add_" + kind, "ct_%s_desc" % kind
        desc = getattr(self._lib.call, struct + "_default")()
        keep: List[Any] = []
        self._material(desc, options, where)
        special(desc, keep)
        fill(desc, options, where)
        if name:
            desc.name = text(name, where + ": name")
        if mesh is not None:
            point_to_mesh(self._lib, desc, "mesh", mesh, keep, where)
        out = self._lib.struct["ct_body_id"]()
        try:
            self._change("ct_body_" + where, ctypes.byref(desc), ctypes.byref(out))
        except ContactError as e:
            raise e.about(name) from None
        return Body(self, (out.index1, out.generation))

    def _material(self, desc: Any, options: Dict[str, Any], where: str) -> None:
        """Fields of the material may stand among those of the body; `material` is a model's name, a Material, or a dict."""
        if "material" not in desc.kinds:
            return
        given = options.pop("material", None)
        model = options.pop("model", given if isinstance(given, (str, int)) else None)
        if isinstance(given, dict):
            given = dict(given)
            model = given.pop("model", model)
        if model is not None:
            desc.material = self._lib.call.ct_material_default(enum_of("ct_model", model, where + ": model"))
        if given is not None and not isinstance(given, (str, int)):
            fill(desc, {"material": given}, where)
        own = {n: options.pop(n) for n in list(options) if n in desc.material.kinds and n not in desc.kinds}
        for n in options:
            if n not in desc.kinds:
                raise TypeError("%s has no option %r%s" % (where, n, hint(n, list(desc.kinds) + list(desc.material.kinds))))
        used = MATERIAL.get(desc.material.model, SOLID) + ["damping_mass", "damping_stiffness"]
        for n in list(own) + (list(given) if isinstance(given, dict) else []):
            if n in desc.material.kinds and n not in used:
                raise ArgumentError("%s: model %r does not use %r, but %s" % (where, _abi.Model(desc.material.model).name.lower(), n, ", ".join(used)))
        fill(desc.material, own, where)

    def add_soft(self, mesh: Mesh, surface: Optional[Mesh] = None, *, name: str = "", **options: "Unpack[_abi.SoftArguments]") -> Body:
        """A soft body of tets; with `surface` a finer surface is embedded in them. Fields of ct_soft_desc and of its material."""
        def special(desc: Any, keep: List[Any]) -> None:
            if surface is not None:
                point_to_mesh(self._lib, desc, "surface", surface, keep, "add_soft")
        return self._add("soft", dict(options), needed(mesh, "add_soft"), name, special)

    def add_cloth(self, mesh: Mesh, *, name: str = "", **options: "Unpack[_abi.ClothArguments]") -> Body:
        """A sheet of triangles. Fields of ct_cloth_desc and of its material."""
        return self._add("cloth", dict(options), needed(mesh, "add_cloth"), name, nothing)

    def add_rod(self, mesh: Mesh, *, name: str = "", **options: "Unpack[_abi.RodArguments]") -> Body:
        """Rods, ropes, nets: segments. Fields of ct_rod_desc."""
        return self._add("rod", dict(options), needed(mesh, "add_rod"), name, nothing)

    def add_points(self, mesh: Union[Mesh, "ArrayLike"], *, masses: Optional["ArrayLike"] = None, name: str = "",
                   **options: "Unpack[_abi.PointsArguments]") -> Body:
        """Particles at the positions of a mesh, or of an array (n, 3)."""
        points = mesh if isinstance(mesh, Mesh) else Mesh(mesh)

        def special(desc: Any, keep: List[Any]) -> None:
            if masses is not None:
                point(desc, "masses", numbers(masses, "add_points: masses", (len(points.positions),), self._lib.dtype), keep)
        return self._add("points", dict(options), points, name, special)

    def add_rigid(self, mesh: Mesh, *, name: str = "", **options: "Unpack[_abi.RigidArguments]") -> Body:
        """A rigid body with a closed surface, or of tets. Fields of ct_rigid_desc."""
        return self._add("rigid", dict(options), needed(mesh, "add_rigid"), name, nothing)

    def add_static(self, mesh: Mesh, *, name: str = "", **options: "Unpack[_abi.StaticArguments]") -> Body:
        """A mesh that stands. Fields of ct_static_desc."""
        return self._add("static", dict(options), needed(mesh, "add_static"), name, nothing)

    def add_plane(self, normal: "ArrayLike" = (0, 1, 0), offset: float = 0.0, *, name: str = "", **options: "Unpack[_abi.StaticArguments]") -> Body:
        """The plane dot(normal, x) = offset, free space on the normal's side."""
        given: Dict[str, Any] = dict(options)
        if not given and not name:
            out = self._lib.struct["ct_body_id"]()
            self._change("ct_body_add_plane", at(vector(self._lib, normal, "add_plane: normal")), number(offset, "add_plane: offset"),
                         ctypes.byref(out))
            return Body(self, (out.index1, out.generation))
        given.update(plane_normal=normal, plane_offset=offset)
        return self._add("static", given, None, name or "plane", nothing)

    def add_kinematic(self, mesh: Mesh, *, segments: Any = None, keyframes: Optional["ArrayLike"] = None, name: str = "",
                      **options: "Unpack[_abi.KinematicArguments]") -> Body:
        """A surface that follows a script. `motion` is a dict with linear, angular, center; `segments` a list of such dicts with a duration;
        `keyframes` an array (k, n, 3) of positions, keyframe_interval seconds apart."""
        mesh = needed(mesh, "add_kinematic")

        def special(desc: Any, keep: List[Any]) -> None:
            if segments is not None:
                array, desc.n_segments = path(self._lib, segments, "add_kinematic: segments")
                desc.segments = ctypes.cast(array, type(desc.segments))
                keep.append(array)
            if keyframes is not None:
                frames = numbers(keyframes, "add_kinematic: keyframes", (-1, len(mesh.positions), 3), self._lib.dtype)
                desc.n_keyframes = len(frames)
                point(desc, "keyframes", frames, keep)
        return self._add("kinematic", dict(options), mesh, name, special)

    # ---- joints ----
    @property
    def joints(self) -> List[Joint]:
        return [Joint(self, i) for i in self._ids("ct_world_get_joints", "ct_joint_id")]

    def joint(self, i: Any) -> Joint:
        """The joint of an id, as events.joint_break["joint"][k] has it."""
        return Joint(self, i)

    def add_joint(self, kind: Union[_abi.JointKind, str, int], a: Any, b: Any = None, **options: "Unpack[_abi.JointArguments]") -> Joint:
        """Joins two bodies: kind is "ball", "hinge", "fixed", "stitch", "slider" or "drag". A side is a body, None for the world, or a tuple
        (body, vertex) or (body, vertices, weights) of one to three vertices. Options are fields of ct_joint_desc: point, axis, compliance, ..."""
        desc = self._lib.call.ct_joint_desc_default(enum_of("ct_joint_kind", kind, "add_joint: kind"))
        side(self, desc.a, a, "add_joint: a")
        side(self, desc.b, b, "add_joint: b")
        fill(desc, dict(options), "add_joint")
        out = self._lib.struct["ct_joint_id"]()
        self._change("ct_joint_add", ctypes.byref(desc), ctypes.byref(out))
        return Joint(self, (out.index1, out.generation))

    # ---- queries ----
    def update_queries(self) -> None:
        """Brings queries up to date with the world, which the first query after a change does by itself."""
        self._call("ct_world_update_queries")
        self._fresh = True

    @contextlib.contextmanager
    def _query(self, filter: Any) -> Iterator[Tuple[Handle, Any]]:
        """The lock, and a ct_query_filter from None, or a dict with category, mask, accept (a function of a body)."""
        handle, c = self._alive(), self._lib.call.ct_query_filter_default()
        given = dict(filter) if filter is not None else {}
        accept = given.pop("accept", None)
        fill(c, given, "filter")
        if accept is not None:
            def ask(i: Any, _user: Any) -> int:
                return int(bool(accept(self.body((i.index1, i.generation)))))
            c.accept = handle.callbacks.wrap(dict(type(c)._fields_)["accept"], ask if callable(accept) else accept, 0, "filter: accept")
        with handle.lock:
            if not self._fresh:
                self.update_queries()
            handle.enter()
            try:
                yield handle, c
            finally:
                handle.lock.release()

    def _one(self, name: str, filter: Any, *arguments: Any) -> Optional[Hit]:
        hit, error = self._lib.struct["ct_hit"](), self._lib.error()
        with self._query(filter) as (handle, c):
            code = getattr(self._lib.call, name)(handle.pointer, *arguments, ctypes.byref(c), ctypes.byref(hit), ctypes.byref(error))
            handle.callbacks.raise_kept()
        self._lib.check(name, code, error)
        return Hit(hit, self._lib.real) if hit.body.index1 else None

    def _many(self, name: str, filter: Any, *arguments: Any) -> Any:
        """All answers: as many as there is room for, then, where there are more, again with room for all."""
        error, n, room = self._lib.error(), ctypes.c_int(), 64
        with self._query(filter) as (handle, c):
            while True:
                hits = (self._lib.struct["ct_hit"] * room)()
                code = getattr(self._lib.call, name)(handle.pointer, *arguments, ctypes.byref(c), hits, room, ctypes.addressof(n),
                                                     ctypes.byref(error))
                handle.callbacks.raise_kept()
                self._lib.check(name, code, error)
                if n.value <= room:
                    break
                room = n.value
        return np.frombuffer(hits, self._lib.rows["ct_hit"], n.value)

    def cast_ray(self, origin: "ArrayLike", translation: "ArrayLike", filter: Any = None) -> Optional[Hit]:
        """The first hit on the way from origin to origin + translation, or None."""
        o, t = vector(self._lib, origin, "origin"), vector(self._lib, translation, "translation")
        return self._one("ct_world_cast_ray", filter, at(o), at(t))

    def cast_ray_all(self, origin: "ArrayLike", translation: "ArrayLike", filter: Any = None) -> "NDArray[Any]":
        """All hits, as rows of ct_hit."""
        o, t = vector(self._lib, origin, "origin"), vector(self._lib, translation, "translation")
        return self._many("ct_world_cast_ray_all", filter, at(o), at(t))

    def cast_sphere(self, origin: "ArrayLike", radius: float, translation: "ArrayLike", filter: Any = None) -> Optional[Hit]:
        """The first touch of a moving sphere."""
        o, t = vector(self._lib, origin, "origin"), vector(self._lib, translation, "translation")
        return self._one("ct_world_cast_sphere", filter, at(o), number(radius, "radius"), at(t))

    def closest_point(self, point: "ArrayLike", max_distance: float = float("inf"), filter: Any = None) -> Optional[Hit]:
        """The nearest point of a surface."""
        p = vector(self._lib, point, "point")
        return self._one("ct_world_closest_point", filter, at(p), number(max_distance, "max_distance"))

    def overlap_box(self, lower: "ArrayLike", upper: "ArrayLike", filter: Any = None) -> "NDArray[Any]":
        """Every body that has a point in common with a box, as rows of ct_hit."""
        low, high = vector(self._lib, lower, "lower"), vector(self._lib, upper, "upper")
        return self._many("ct_world_overlap_box", filter, at(low), at(high))

    def overlap_sphere(self, center: "ArrayLike", radius: float, filter: Any = None) -> "NDArray[Any]":
        c = vector(self._lib, center, "center")
        return self._many("ct_world_overlap_sphere", filter, at(c), number(radius, "radius"))

    def overlap_mesh(self, mesh: Mesh, filter: Any = None) -> "NDArray[Any]":
        keep: List[Any] = []
        c = needed(mesh, "overlap_mesh")._c(self._lib, keep)
        return self._many("ct_world_overlap_mesh", filter, ctypes.byref(c))

    def inside(self, point: "ArrayLike", filter: Any = None) -> "NDArray[Any]":
        """Every body that contains a point."""
        p = vector(self._lib, point, "point")
        return self._many("ct_world_inside", filter, at(p))

    # ---- problems, drawing ----
    def dump_problem(self, path: "Union[str, PathLike[str]]") -> None:
        """Writes the contact problem that the last step solved, with its solution, as a CPB file."""
        self._file("ct_world_dump_problem", path)

    def problem(self) -> Problem:
        """The contact problem that the last step solved, with its solution as reference."""
        out = ctypes.c_void_p()
        self._call("ct_world_get_problem", ctypes.addressof(out))
        assert out.value
        return Problem(out.value)

    def draw(self, triangle: Optional[Callable[..., Any]] = None, line: Optional[Callable[..., Any]] = None,
             point: Optional[Callable[..., Any]] = None, **options: "Unpack[_abi.DrawArguments]") -> Optional[Drawing]:
        """Draws by functions triangle(a, b, c, color), line(a, b, color), point(p, radius, color); without any, into the arrays of a Drawing.
        Options are the fields of ct_draw: surfaces, islands, contacts, impulse_scale, joints, limit, boxes."""
        c, handle = self._lib.call.ct_draw_default(), self._alive()
        fill(c, dict(options), "draw")
        lists: Dict[str, List[Any]] = {"triangle": [], "line": [], "point": []}
        functions = {"triangle": triangle, "line": line, "point": point}
        collect = not any(functions.values())
        kinds = dict(type(c)._fields_)
        for name, vectors in (("triangle", 3), ("line", 2), ("point", 1)):
            f = lists[name].append if collect else functions[name]
            if f is not None:
                setattr(c, name, handle.callbacks.wrap(kinds[name], self._drawer(f, vectors, collect), None, "draw: " + name))
        self._call("ct_world_draw", ctypes.byref(c))
        return drawing(lists) if collect else None

    def _drawer(self, f: Callable[..., Any], vectors: int, collect: bool) -> Callable[..., None]:
        read = (self._lib.scalar * 3).from_address

        def draw(*arguments: Any) -> None:
            found = [tuple(read(p)) for p in arguments[:vectors]] + list(arguments[vectors:-1])
            if collect:
                f(found)
            else:
                f(*found)
        return draw


def drawing(lists: Dict[str, List[Any]]) -> Drawing:
    t, n, p = lists["triangle"], lists["line"], lists["point"]
    return Drawing(np.array([r[:3] for r in t]).reshape(-1, 3, 3), np.array([r[3] for r in t], np.uint32),
                   np.array([r[:2] for r in n]).reshape(-1, 2, 3), np.array([r[2] for r in n], np.uint32),
                   np.array([r[0] for r in p]).reshape(-1, 3), np.array([r[1] for r in p]), np.array([r[2] for r in p], np.uint32))


def nothing(_desc: Any, _keep: List[Any]) -> None:
    pass


def needed(mesh: Any, where: str) -> Mesh:
    if not isinstance(mesh, Mesh):
        raise TypeError("%s: a contact.Mesh is expected, not %s" % (where, type(mesh).__name__))
    return mesh


def point_to_mesh(lib: Library, desc: Any, field: str, mesh: Any, keep: List[Any], where: str) -> None:
    c = needed(mesh, where)._c(lib, keep)
    keep.append(c)
    setattr(desc, field, ctypes.pointer(c))


def output(out: Any, shape: Tuple[int, ...]) -> Any:
    """An array of the caller's that the library writes into, row by row."""
    if not isinstance(out, np.ndarray):
        raise TypeError("out: a numpy array is expected, not %s" % type(out).__name__)
    if out.dtype not in (np.float32, np.float64):
        raise TypeError("out: float32 or float64 is expected, not %s" % out.dtype)
    if out.shape != shape:
        raise ArgumentError("out: an array of shape %s is expected, not %s" % (shape, out.shape))
    if not out.flags.writeable:
        raise ArgumentError("out: the array is read-only")
    if out.size and (out.strides[1] != out.itemsize or out.strides[0] < shape[1] * out.itemsize):
        raise ArgumentError("out: the numbers of a row are not next to each other, or rows overlap")
    return out


def scalar_kind(array: Any) -> int:
    return {np.dtype(np.float32): 0, np.dtype(np.float64): 1}.get(array.dtype, -1)
