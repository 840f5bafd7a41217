"""_body.py -- Body and Joint: handles by value, and all that can be set and read of them."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._abi import Air, ContactMaterial, Filter, JointState, Material
from ._errors import ArgumentError
from ._options import at, axes_of, fill, indices, motion, path, vector
from ._record import integer, number, numbers, write_struct

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._world import World


class _Id:
    """A handle: its world, and an id by value. Ids of what has been removed raise StaleIdError."""
    __slots__ = ("_world", "_c")
    _struct = ""

    def __init__(self, world: "World", i: Any) -> None:
        try:
            index1, generation = i
        except (TypeError, ValueError):
            cure = "; World.find finds a body by its name" if isinstance(i, str) else ""
            raise TypeError("%s: an id of two numbers is expected, not %r%s" % (type(self).__name__, i, cure)) from None
        self._world = world
        self._c = world._lib.struct[self._struct](*[integer(n, type(self).__name__ + ": its id", "uint32_t") for n in (index1, generation)])

    @property
    def world(self) -> "World":
        return self._world

    @property
    def id(self) -> Tuple[int, int]:
        """index1 and generation of C's handle."""
        return self._c.index1, self._c.generation

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and self._world is other._world and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def _call(self, name: str, *arguments: Any) -> None:
        self._world._call(name, self._c, *arguments)

    def _change(self, name: str, *arguments: Any) -> None:
        self._world._change(name, self._c, *arguments)

    def _out(self, name: str, *shapes: int) -> Any:
        """Numbers that a function writes behind the id."""
        arrays = [np.zeros(n, self._world._lib.dtype) for n in shapes]
        self._call(name, *[at(a) for a in arrays])
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _record(self, name: str, struct: str, cls: Any) -> Any:
        c = self._world._lib.struct[struct]()
        self._call(name, ctypes.byref(c))
        return cls(c, self._world._lib.real)


class Body(_Id):
    """One body of a world. Lengths in metres, velocities along the world's axes."""
    __slots__ = ()
    _struct = "ct_body_id"

    def __repr__(self) -> str:
        return "Body(%r, id=%s)" % (self._label(), self.id)

    def __str__(self) -> str:
        return "body %r" % (self._label() or self.id[0])

    def _label(self) -> str:
        """Its name where it can be asked for: "" also of a removed body, and while the world is closed or busy."""
        handle = self._world._handle
        return "" if handle is None or handle.callbacks.depth else str(handle.ask("ct_body_name", self._c).decode("utf-8", "replace"))

    def _ask(self, name: str) -> Any:
        """A function that has no code: a stale id is an error all the same."""
        handle = self._world._alive()
        with handle.lock:
            self._record("ct_body_get_filter", "ct_filter", Filter)
            return handle.ask(name, self._c)

    def _ints(self, name: str, width: int) -> Any:
        pointer, n, handle = ctypes.c_void_p(), ctypes.c_int(), self._world._alive()
        with handle.lock:
            self._call(name, ctypes.addressof(pointer), ctypes.addressof(n))
            return handle.view(pointer.value, (n.value, width), np.int32)

    def _indices(self, value: Any, what: str) -> Any:
        """Numbers of nodes, from numbers or from a mask of all of them; of a rod also of its vertices, which come first."""
        array = np.asarray(value)
        if array.dtype == bool and array.ndim == 1:
            nodes, vertices = self.node_count, self.vertex_count
            if len(array) != (nodes or vertices) and not (len(array) == vertices and len(self.segments)):
                raise ArgumentError("%s: a mask of %d is expected, not of %d" % (what, nodes or vertices, len(array)))
        return indices(array, what)

    # ---- what it is ----
    def remove(self) -> None:
        """Removes it with its contacts and joints."""
        self._change("ct_body_remove")
        self._world._data.pop(self.id, None)

    @property
    def alive(self) -> bool:
        """False once it has been removed."""
        return self in self._world.bodies

    @property
    def name(self) -> str:
        return str(self._ask("ct_body_name").decode("utf-8", "replace"))

    @property
    def vertex_count(self) -> int:
        return int(self._ask("ct_body_vertex_count"))

    @property
    def node_count(self) -> int:
        return int(self._ask("ct_body_node_count"))

    @property
    def triangles(self) -> "NDArray[np.int32]":
        """The surface, (n, 3): a view of the world's memory."""
        return self._ints("ct_body_get_triangles", 3)

    @property
    def segments(self) -> "NDArray[np.int32]":
        """(n, 2): a view of the world's memory."""
        return self._ints("ct_body_get_segments", 2)

    @property
    def user_data(self) -> Any:
        """Any object of yours; None at first."""
        self._ask("ct_body_is_sensor")
        return self._world._data.get(self.id)

    @user_data.setter
    def user_data(self, value: Any) -> None:
        self._ask("ct_body_is_sensor")
        self._world._data[self.id] = value

    # ---- vertices and nodes ----
    def _vertices(self, name: str, out: Any, dtype: Any) -> Any:
        from ._world import output, scalar_kind
        handle, n = self._world._alive(), ctypes.c_int()
        with handle.lock:
            self._call(name, None, 1, 24, ctypes.addressof(n))
            array = np.empty((n.value, 3), dtype) if out is None else output(out, (n.value, 3))
            stride = array.strides[0] if n.value > 1 else 3 * array.itemsize
            if n.value:
                self._call(name, array.ctypes.data, scalar_kind(array), stride, None)
        return array

    def get_positions(self, out: Optional["NDArray[Any]"] = None, dtype: Any = np.float64) -> "NDArray[Any]":
        """Positions of all vertices, (n, 3). `out`: an array of yours, float32 or float64, also one with gaps between its rows."""
        return self._vertices("ct_body_get_positions", out, dtype)

    def get_velocities(self, out: Optional["NDArray[Any]"] = None, dtype: Any = np.float64) -> "NDArray[Any]":
        return self._vertices("ct_body_get_velocities", out, dtype)

    def get_normals(self, out: Optional["NDArray[Any]"] = None, dtype: Any = np.float64) -> "NDArray[Any]":
        return self._vertices("ct_body_get_normals", out, dtype)

    @property
    def positions(self) -> "NDArray[np.float64]":
        """Positions of all vertices, (n, 3), a new array: changing it moves nothing. Nodes are what can be set."""
        return self.get_positions()

    @positions.setter
    def positions(self, value: Any) -> None:
        raise AttributeError("positions are read; set nodes of a deformable body, pose of a rigid one, or call move_vertices")

    @property
    def velocities(self) -> "NDArray[np.float64]":
        return self.get_velocities()

    @property
    def normals(self) -> "NDArray[np.float64]":
        return self.get_normals()

    def _nodes(self, which: int) -> Any:
        handle = self._world._alive()
        with handle.lock:
            array = np.zeros((self.node_count, 3), self._world._lib.dtype)
            pointers: List[Any] = [None, None]
            pointers[which] = array.ctypes.data
            self._call("ct_body_get_nodes", *pointers, len(array))
        return array

    def _set_nodes(self, name: str, value: Any, what: str) -> None:
        array = numbers(value, what, (self.node_count or -1, 3), self._world._lib.dtype)
        self._change(name, at(array), len(array))

    @property
    def nodes(self) -> "NDArray[Any]":
        """Positions of a deformable body's nodes; setting them teleports it, its shape at rest stays."""
        return self._nodes(0)

    @nodes.setter
    def nodes(self, value: "ArrayLike") -> None:
        self._set_nodes("ct_body_set_positions", value, "nodes")

    @property
    def node_velocities(self) -> "NDArray[Any]":
        return self._nodes(1)

    @node_velocities.setter
    def node_velocities(self, value: "ArrayLike") -> None:
        self._set_nodes("ct_body_set_velocities", value, "node_velocities")

    @property
    def masses(self) -> "NDArray[Any]":
        """Of the nodes, [kg]."""
        handle = self._world._alive()
        with handle.lock:
            array = np.zeros(self.node_count, self._world._lib.dtype)
            self._call("ct_body_get_masses", array.ctypes.data, len(array))
        return array

    @masses.setter
    def masses(self, value: "ArrayLike") -> None:
        array = numbers(value, "masses", (self.node_count or -1,), self._world._lib.dtype)
        self._change("ct_body_set_masses", at(array), len(array))

    # ---- fields ----
    @property
    def elements(self) -> "NDArray[np.int32]":
        """Nodes of the tets (n, 4) of a soft body, of the triangles (n, 3) of a cloth."""
        handle = self._world._alive()
        with handle.lock:
            n = self._ask("ct_body_element_count")
            array = np.full(4 * n, -1, np.int32)
            self._call("ct_body_get_elements", at(array), n)
        return array.reshape(-1, 4) if not n or array[-1] != -1 else array[:3 * n].reshape(-1, 3)

    def _field(self, name: str, count: str, width: int) -> Any:
        handle = self._world._alive()
        with handle.lock:
            array = np.zeros((self._ask(count), width), self._world._lib.dtype)
            self._call(name, at(array), len(array))
        return array

    @property
    def stress(self) -> "NDArray[Any]":
        """Elastic Cauchy stress of each element [Pa], (n, 6): xx yy zz xy yz xz, tension positive."""
        return self._field("ct_body_get_stress", "ct_body_element_count", 6)

    @property
    def elastic_forces(self) -> "NDArray[Any]":
        """[N] of the elements on each node, (n, 3)."""
        return self._field("ct_body_get_elastic_forces", "ct_body_node_count", 3)

    @property
    def contact_impulses(self) -> "NDArray[Any]":
        """[N s] that the contacts of the last step gave to each vertex, (n, 3)."""
        return self._field("ct_body_get_contact_impulses", "ct_body_vertex_count", 3)

    # ---- rigid and kinematic bodies ----
    @property
    def pose(self) -> "Tuple[NDArray[Any], NDArray[Any]]":
        """Position, and a unit quaternion w x y z. Setting it teleports a rigid body; either may be None."""
        return self._out("ct_body_get_pose", 3, 4)

    @pose.setter
    def pose(self, value: "Tuple[Optional[ArrayLike], Optional[ArrayLike]]") -> None:
        position, quaternion = self._two(value, "pose", (3, 4))
        self._change("ct_body_set_pose", at(position), at(quaternion))

    @property
    def motion(self) -> "Tuple[NDArray[Any], NDArray[Any]]":
        """Velocity and angular velocity of a rigid body; either may be None when they are set."""
        return self._out("ct_body_get_motion", 3, 3)

    @motion.setter
    def motion(self, value: "Tuple[Optional[ArrayLike], Optional[ArrayLike]]") -> None:
        linear, angular = self._two(value, "motion", (3, 3))
        self._change("ct_body_set_motion", at(linear), at(angular))

    def _two(self, value: Any, what: str, lengths: Tuple[int, int]) -> List[Any]:
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise TypeError("%s: two vectors are expected, either may be None" % what)
        return [None if v is None else vector(self._world._lib, v, what, n) for v, n in zip(value, lengths)]

    @property
    def momentum(self) -> "Tuple[NDArray[Any], NDArray[Any]]":
        """Linear, and angular about the centre of mass, of a rigid body."""
        return self._out("ct_body_get_momentum", 3, 3)

    def move_pose(self, position: Optional["ArrayLike"], quaternion: Optional["ArrayLike"], dt: float) -> None:
        """A kinematic body moves there within the next dt seconds; None: it stays."""
        p, q = self._two((position, quaternion), "move_pose", (3, 4))
        self._change("ct_body_move_pose", at(p), at(q), number(dt, "move_pose: dt"))

    def move_vertices(self, positions: "ArrayLike", dt: float, vertices: Any = None) -> None:
        """Vertices of a kinematic body, or nodes that are then pinned, move there within the next dt seconds. None: the first ones, or all."""
        array = numbers(positions, "move_vertices: positions", (-1, 3), self._world._lib.dtype)
        which = None if vertices is None else self._indices(vertices, "move_vertices: vertices")
        if which is not None and len(which) != len(array):
            raise ArgumentError("move_vertices: %d positions for %d vertices" % (len(array), len(which)))
        self._change("ct_body_move_vertices", at(which), at(array), len(array), number(dt, "move_vertices: dt"))

    # ---- pins ----
    def pin(self, vertices: Any, axes: Union[str, int] = "xyz", *, motion: Optional[Dict[str, Any]] = None,
            segments: Optional[Iterable[Dict[str, Any]]] = None, until: float = -1.0) -> None:
        """Holds nodes, or moves them by a script: `motion` is a dict with linear, angular, center; `segments` a list of such dicts with a duration.
        `vertices` are numbers, or a mask as in cloth.pin(cloth.positions[:, 1] > 0.9). until: world time [s], < 0 for ever."""
        if motion is not None and segments is not None:
            raise ArgumentError("pin: motion or segments, not both")
        which, mask, end = self._indices(vertices, "pin: vertices"), axes_of(axes, "pin: axes"), number(until, "pin: until")
        lib = self._world._lib
        if segments is not None:
            array, n = path(lib, segments, "pin: segments")
            self._change("ct_body_pin_path", at(which), len(which), mask, array, n, end)
        else:
            c = None if motion is None else ctypes.byref(_motion(lib, motion, "pin: motion"))
            self._change("ct_body_pin", at(which), len(which), mask, c, end)

    def unpin(self, vertices: Any, axes: Union[str, int] = "xyz") -> None:
        which = self._indices(vertices, "unpin: vertices")
        self._change("ct_body_unpin", at(which), len(which), axes_of(axes, "unpin: axes"))

    def constrain(self, vertex: int, projector: "ArrayLike") -> None:
        """A direction pin: the vertex moves only in the range of a symmetric projector (3, 3)."""
        p = numbers(projector, "constrain: projector", (3, 3), self._world._lib.dtype)
        self._change("ct_body_constrain", integer(vertex, "constrain: vertex"), at(p))

    def pin_impulse(self, vertex: int) -> "NDArray[Any]":
        """[N s] that pins gave to a node over the last step."""
        out = np.zeros(3, self._world._lib.dtype)
        self._call("ct_body_get_pin_impulse", integer(vertex, "pin_impulse: vertex"), at(out))
        return out

    # ---- forces ----
    def add_force(self, force: "ArrayLike", point: Optional["ArrayLike"] = None, *, vertex: Optional[int] = None) -> None:
        """[N] during the next step: at a point of a rigid body (None: its centre of mass), at a vertex, or on all nodes by their mass."""
        self._push("ct_body_add_force", "ct_body_add_vertex_force", force, point, vertex, "add_force")

    def add_impulse(self, impulse: "ArrayLike", point: Optional["ArrayLike"] = None, *, vertex: Optional[int] = None) -> None:
        """[N s], at once."""
        self._push("ct_body_add_impulse", "ct_body_add_vertex_impulse", impulse, point, vertex, "add_impulse")

    def _push(self, whole: str, single: str, value: Any, point: Any, vertex: Optional[int], what: str) -> None:
        v = vector(self._world._lib, value, what)
        if vertex is None:
            p = None if point is None else vector(self._world._lib, point, what + ": point")
            self._change(whole, at(v), at(p))
        elif point is not None:
            raise ArgumentError("%s: a point or a vertex, not both" % what)
        else:
            self._change(single, integer(vertex, what + ": vertex"), at(v))

    def add_torque(self, torque: "ArrayLike") -> None:
        self._change("ct_body_add_torque", at(vector(self._world._lib, torque, "add_torque")))

    # ---- sleep ----
    @property
    def asleep(self) -> bool:
        return bool(self._ask("ct_body_is_asleep"))

    def wake(self) -> None:
        self._change("ct_body_wake")

    # ---- properties of contact ----
    def _set_number(self, name: str, value: Any, what: str) -> None:
        self._change(name, number(value, what))

    @property
    def mass(self) -> float:
        return float(self._ask("ct_body_get_mass"))

    @property
    def friction(self) -> float:
        return float(self._ask("ct_body_get_friction"))

    @friction.setter
    def friction(self, value: float) -> None:
        self._set_number("ct_body_set_friction", value, "friction")

    @property
    def restitution(self) -> float:
        return float(self._ask("ct_body_get_restitution"))

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._set_number("ct_body_set_restitution", value, "restitution")

    @property
    def thickness(self) -> float:
        return float(self._ask("ct_body_get_thickness"))

    @thickness.setter
    def thickness(self, value: float) -> None:
        self._set_number("ct_body_set_thickness", value, "thickness")

    @property
    def gravity_scale(self) -> float:
        return float(self._ask("ct_body_get_gravity_scale"))

    @gravity_scale.setter
    def gravity_scale(self, value: float) -> None:
        self._set_number("ct_body_set_gravity_scale", value, "gravity_scale")

    @property
    def pressure(self) -> float:
        return float(self._ask("ct_body_get_pressure"))

    @pressure.setter
    def pressure(self, value: float) -> None:
        self._set_number("ct_body_set_pressure", value, "pressure")

    @property
    def spin_friction(self) -> Tuple[float, float]:
        """Torsional and rolling, [m]."""
        torsional, rolling = self._out("ct_body_get_spin_friction", 1, 1)
        return float(torsional[0]), float(rolling[0])

    @spin_friction.setter
    def spin_friction(self, value: Tuple[float, float]) -> None:
        t, r = vector(self._world._lib, value, "spin_friction", 2).tolist()
        self._change("ct_body_set_spin_friction", t, r)

    @property
    def surface_velocity(self) -> "NDArray[Any]":
        return self._out("ct_body_get_surface_velocity", 3)

    @surface_velocity.setter
    def surface_velocity(self, value: "ArrayLike") -> None:
        self._change("ct_body_set_surface_velocity", at(vector(self._world._lib, value, "surface_velocity")))

    @property
    def sensor(self) -> bool:
        return bool(self._ask("ct_body_is_sensor"))

    @sensor.setter
    def sensor(self, value: bool) -> None:
        self._change("ct_body_set_sensor", int(bool(value)))

    @property
    def self_collision(self) -> Optional[bool]:
        """None: as the world's option says."""
        return {-1: None, 0: False, 1: True}[self._ask("ct_body_get_self_collision")]

    @self_collision.setter
    def self_collision(self, value: Optional[bool]) -> None:
        self._change("ct_body_set_self_collision", -1 if value is None else int(bool(value)))

    # ---- structs: read one, change its fields, set it; or set a dict of what differs ----
    def _set_struct(self, name: str, struct: str, value: Any, present: Any, what: str) -> None:
        c = present._c
        write_struct(c, value, what)
        self._change(name, ctypes.byref(c))

    @property
    def filter(self) -> Filter:
        """Whom it meets: category, mask, group."""
        return self._record("ct_body_get_filter", "ct_filter", Filter)

    @filter.setter
    def filter(self, value: Any) -> None:
        self._set_struct("ct_body_set_filter", "ct_filter", value, self.filter, "filter")

    @property
    def material(self) -> Material:
        return self._record("ct_body_get_material", "ct_material", Material)

    @material.setter
    def material(self, value: Any) -> None:
        self._set_struct("ct_body_set_material", "ct_material", value, self.material, "material")

    @property
    def contact_material(self) -> ContactMaterial:
        return self._record("ct_body_get_contact", "ct_contact_material", ContactMaterial)

    @contact_material.setter
    def contact_material(self, value: Any) -> None:
        self._set_struct("ct_body_set_contact", "ct_contact_material", value, self.contact_material, "contact_material")

    @property
    def air(self) -> Air:
        """How air acts on it: drag, lift, density."""
        return self._record("ct_body_get_air", "ct_air", Air)

    @air.setter
    def air(self, value: Any) -> None:
        self._set_struct("ct_body_set_air", "ct_air", value, self.air, "air")

    # ---- limits of a skin ----
    @property
    def skin(self) -> "NDArray[Any]":
        """Limits of nodes against targets, as rows of ct_skin_limit."""
        n, handle = ctypes.c_int(), self._world._alive()
        struct = self._world._lib.struct["ct_skin_limit"]
        with handle.lock:
            self._call("ct_body_get_skin", None, 0, ctypes.addressof(n))
            rows = (struct * max(1, n.value))()
            self._call("ct_body_get_skin", rows, n.value, ctypes.addressof(n))
        return np.frombuffer(rows, self._world._lib.rows["ct_skin_limit"], n.value)

    def set_skin(self, vertices: Any, max_distance: Any = float("inf"), backstop_distance: Any = 0.0, backstop_radius: Any = 0.0) -> None:
        """Limits in place of those before; each number is one for all vertices, or one for each. No vertices: no limits."""
        which = self._indices(vertices, "set_skin: vertices")
        rows = np.zeros(len(which), self._world._lib.rows["ct_skin_limit"])
        rows["vertex"] = which
        for name, value in (("max_distance", max_distance), ("backstop_distance", backstop_distance), ("backstop_radius", backstop_radius)):
            array = numbers(value, "set_skin: " + name)
            if array.size not in (1, len(which)):
                raise ArgumentError("set_skin: %s: %d numbers for %d vertices" % (name, array.size, len(which)))
            rows[name] = array.ravel() if array.size == len(which) else array.ravel()[0]
        pointer = ctypes.cast(rows.ctypes.data, ctypes.POINTER(self._world._lib.struct["ct_skin_limit"]))
        self._change("ct_body_set_skin", pointer, len(rows))

    def move_skin(self, positions: "ArrayLike", dt: float, normals: Optional["ArrayLike"] = None) -> None:
        """The targets go there within the next dt seconds, in the order of the limits."""
        p = numbers(positions, "move_skin: positions", (-1, 3), self._world._lib.dtype)
        n = None if normals is None else numbers(normals, "move_skin: normals", (len(p), 3), self._world._lib.dtype)
        self._change("ct_body_move_skin", at(p), at(n), len(p), number(dt, "move_skin: dt"))


_motion = motion  # Body has a property of this name


class Joint(_Id):
    """One joint of a world."""
    __slots__ = ()
    _struct = "ct_joint_id"

    def __repr__(self) -> str:
        return "Joint(id=%s)" % (self.id,)

    def remove(self) -> None:
        self._change("ct_joint_remove")

    @property
    def bodies(self) -> Tuple[Optional[Body], Optional[Body]]:
        """Of sides a and b; None is the world."""
        ids = [self._world._lib.struct["ct_body_id"]() for _ in range(2)]
        self._call("ct_joint_get_bodies", *[ctypes.byref(i) for i in ids])
        a, b = [Body(self._world, (i.index1, i.generation)) if i.index1 else None for i in ids]
        return a, b

    @property
    def state(self) -> JointState:
        """What is set of it, and where it is."""
        return self._record("ct_joint_get_state", "ct_joint_state", JointState)

    @property
    def angle(self) -> float:
        """[rad] of a hinge, or the way [m] of a slider."""
        return float(self._out("ct_joint_get_angle", 1)[0])

    @property
    def force(self) -> "Tuple[NDArray[Any], NDArray[Any]]":
        """[N] and [N m] on side a, mean of the last step."""
        return self._out("ct_joint_get_force", 3, 3)

    @property
    def impulse(self) -> "Tuple[NDArray[Any], NDArray[Any]]":
        """[N s] and [N m s] on side a over the last step."""
        return self._out("ct_joint_get_impulse", 3, 3)

    def set_limits(self, lower: float, upper: float) -> None:
        self._change("ct_joint_set_limits", number(lower, "lower"), number(upper, "upper"))

    def set_motor(self, speed: float, max_effort: float) -> None:
        self._change("ct_joint_set_motor", number(speed, "speed"), number(max_effort, "max_effort"))

    def set_spring(self, target: float, stiffness: float, damping: float) -> None:
        self._change("ct_joint_set_spring", number(target, "target"), number(stiffness, "stiffness"), number(damping, "damping"))

    def set_target(self, point: "ArrayLike") -> None:
        """The point that a drag pulls to."""
        self._change("ct_joint_set_target", at(vector(self._world._lib, point, "set_target")))

    def set_break(self, force: float = float("inf"), torque: float = float("inf")) -> None:
        self._change("ct_joint_set_break", number(force, "force"), number(torque, "torque"))


def side(world: "World", c: Any, value: Any, what: str) -> None:
    """A ct_joint_side from None, a Body, or (body, vertices[, weights])."""
    parts: Sequence[Any] = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(parts) <= 3 or not (parts[0] is None or isinstance(parts[0], Body)):
        raise TypeError("%s: a body, None, or a tuple (body, vertices[, weights]) is expected, not %r" % (what, value))
    c.vertices[:] = [-1, -1, -1]
    if parts[0] is None:
        return
    c.body = world.body(parts[0])._c
    if len(parts) > 1:
        which = indices(parts[1], what + ": vertices")
        if not 1 <= len(which) <= 3:
            raise ArgumentError("%s: one to three vertices are expected, not %d" % (what, len(which)))
        weights = numbers(parts[2], what + ": weights", (len(which),)) if len(parts) > 2 else np.ones(len(which)) / len(which)
        for k, (v, w) in enumerate(zip(which.tolist(), weights.tolist())):
            c.vertices[k], c.weights[k] = v, w
