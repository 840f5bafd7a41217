"""_mesh.py -- meshes as numpy arrays: what files have, shapes, and the operations of contact.h on them. No function changes its mesh."""
from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ._errors import ArgumentError, UnsupportedError
from ._library import Library, library, view
from ._options import at, text, vector
from ._record import integer, number, numbers

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

WIDTHS = (("tets", 4), ("triangles", 3), ("segments", 2))
# cells of meshio: what they become, and the corners of it
CELLS: Dict[str, Tuple[str, List[List[int]]]] = {
    "tetra": ("tets", [[0, 1, 2, 3]]), "triangle": ("triangles", [[0, 1, 2]]), "quad": ("triangles", [[0, 1, 2], [0, 2, 3]]),
    "line": ("segments", [[0, 1]])}


class Mesh:
    """Positions (n, 3) in metres, and elements as rows of indices from 0: tets (n, 4), triangles (n, 3), segments (n, 2).

    Triangles are counter-clockwise seen from outside; tets have dot(cross(x1 - x0, x2 - x0), x3 - x0) > 0. The arrays that are given are kept, not
    copied, where they are contiguous float64 and int32; bodies copy them when they are added.
    """

    def __init__(self, positions: "ArrayLike", tets: Optional["ArrayLike"] = None, triangles: Optional["ArrayLike"] = None,
                 segments: Optional["ArrayLike"] = None) -> None:
        self.positions: NDArray[np.float64] = positions  # type: ignore[assignment]
        self.tets: NDArray[np.int32] = tets  # type: ignore[assignment]
        self.triangles: NDArray[np.int32] = triangles  # type: ignore[assignment]
        self.segments: NDArray[np.int32] = segments  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        widths = dict(WIDTHS)
        if name == "positions":
            value = numbers(value, "positions", (-1, 3), np.float64)
        elif name in widths:
            empty = value is None or np.size(value) == 0
            value = np.empty((0, widths[name]), np.int32) if empty else numbers(value, name, (-1, widths[name]), np.int32)
        else:
            raise AttributeError("Mesh has no attribute %r: positions, tets, triangles, segments" % name)
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return "Mesh(%s)" % ", ".join("%d %s" % (len(getattr(self, n)), n) for n in ("positions", "tets", "triangles", "segments"))

    # ---- files and shapes ----
    @staticmethod
    def read(path: "Union[str, PathLike[str]]") -> "Mesh":
        """A file by its extension: .obj, .msh, .ply, .stl, .vtk, .node or .ele."""
        return _made("ct_mesh_read", text(path, "path"), culprit=str(path))

    def write(self, path: "Union[str, PathLike[str]]") -> None:
        """A file by its extension: .obj, .msh, .vtk."""
        lib, keep = library(), []  # type: Tuple[Library, List[Any]]
        error = lib.error()
        c = self._c(lib, keep)
        lib.check("ct_mesh_write", lib.call.ct_mesh_write(text(path, "path"), ctypes.byref(c), ctypes.byref(error)), error, str(path))

    @staticmethod
    def box(size: "ArrayLike" = (1, 1, 1), cells: "ArrayLike" = (1, 1, 1), tets: bool = True) -> "Mesh":
        """A box around the origin: of tets, or its surface."""
        size, cells = vector(library(), size, "size"), numbers(cells, "cells", (3,), np.int32)
        return _made("ct_mesh_box", at(size), at(cells), int(bool(tets)))

    @staticmethod
    def grid(size: "ArrayLike" = (1, 1), cells: "ArrayLike" = (1, 1)) -> "Mesh":
        """A sheet of triangles in the xz plane around the origin, normal +y."""
        size, cells = vector(library(), size, "size", 2), numbers(cells, "cells", (2,), np.int32)
        return _made("ct_mesh_grid", at(size), at(cells))

    @staticmethod
    def sphere(radius: float = 1.0, levels: int = 2) -> "Mesh":
        """A subdivided icosahedron of 20 * 4^levels triangles."""
        return _made("ct_mesh_sphere", number(radius, "radius"), integer(levels, "levels"))

    @staticmethod
    def line(points: "ArrayLike", closed: bool = False) -> "Mesh":
        """Segments from each point to the next: a rod."""
        x = numbers(points, "points", (-1, 3), np.float64)
        n = np.arange(len(x), dtype=np.int32)
        return Mesh(x, segments=np.stack([n, np.roll(n, -1)], 1)[:len(n) if closed else len(n) - 1])

    # ---- operations ----
    def transformed(self, scale: Optional["ArrayLike"] = None, rotation: Optional["ArrayLike"] = None,
                    position: Optional["ArrayLike"] = None) -> "Mesh":
        """Every x becomes R(rotation) (scale x) + position; rotation is a quaternion w x y z, scale a number or three."""
        lib = library()
        if scale is not None and np.ndim(scale) == 0:
            scale = (scale, scale, scale)  # type: ignore[assignment]
        given = [None if v is None else vector(lib, v, name, n)
                 for name, v, n in (("scale", scale, 3), ("rotation", rotation, 4), ("position", position, 3))]
        return self._changed("ct_mesh_transform", *[at(v) for v in given])[0]

    def welded(self, distance: float = 0.0) -> "Tuple[Mesh, int]":
        """Vertices that lie within a distance become one. Also how many did."""
        merged = ctypes.c_int()
        mesh, c = self._changed("ct_mesh_weld", number(distance, "distance"), ctypes.addressof(merged))
        parts: List[Any] = [getattr(mesh, n)[:getattr(c, "n_" + n)] for n in ("positions", "tets", "triangles", "segments")]
        return Mesh(*parts), merged.value

    def tetrahedralized(self, cell: float = 0.0) -> "Mesh":
        """A lattice of tets around a closed surface, with cells of about this side; 0: a sixth of its longest one."""
        lib, keep = library(), []  # type: Tuple[Library, List[Any]]
        c = self._c(lib, keep)
        return _made("ct_mesh_tetrahedralize", ctypes.byref(c), number(cell, "cell"))

    def intersections(self) -> "NDArray[np.int32]":
        """Rows of two triangles: one owns an edge that goes through the other."""
        lib, keep = library(), []  # type: Tuple[Library, List[Any]]
        c, error, pairs, n = self._c(lib, keep), lib.error(), ctypes.c_void_p(), ctypes.c_int()
        lib.check("ct_mesh_intersections", lib.call.ct_mesh_intersections(ctypes.byref(c), ctypes.addressof(pairs), ctypes.addressof(n),
                                                                          ctypes.byref(error)), error)
        return _owned(lib, pairs.value, (n.value, 2), np.int32)

    # ---- meshio ----
    @staticmethod
    def from_meshio(source: Any) -> "Mesh":
        """A mesh of the package meshio, or a file that it reads. Quadrilaterals become two triangles; second order elements keep their corners."""
        if not hasattr(source, "points"):
            source = _meshio().read(source)
        points = np.asarray(source.points, np.float64)
        if points.ndim == 2 and points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        found: Any = {"tets": [], "triangles": [], "segments": []}
        for block in source.cells:
            data = np.asarray(block.data)
            kind = block.type.rstrip("0123456789")
            if kind in CELLS:
                name, rows = CELLS[kind]
                found[name] += [data[:, row] for row in rows]
            elif kind != "vertex":
                raise UnsupportedError("meshio's cells of type %r are not read; tetra, triangle, quad, line, vertex are" % block.type)
        return Mesh(points, **{n: np.concatenate(v) if v else None for n, v in found.items()})

    def to_meshio(self) -> Any:
        """A mesh of the package meshio, which writes some thirty formats."""
        cells = [(kind, getattr(self, name)) for kind, name in (("tetra", "tets"), ("triangle", "triangles"), ("line", "segments"))
                 if len(getattr(self, name))]
        return _meshio().Mesh(self.positions, cells)

    # ---- for the library ----
    def _c(self, lib: Library, keep: List[Any]) -> Any:
        """A ct_mesh that points to the arrays, or to copies in the library's precision; `keep` holds them."""
        c = lib.struct["ct_mesh"]()
        for name in ("positions", "tets", "triangles", "segments"):
            array = getattr(self, name)
            if name == "positions":
                array = np.ascontiguousarray(array, lib.dtype)
            if len(array) > 2**31 - 1:
                raise ArgumentError("%s: %d are more than an int counts" % (name, len(array)))
            keep.append(array)
            setattr(c, name, at(array) if len(array) else None)
            setattr(c, "n_" + name, len(array))
        return c

    def _changed(self, function: str, *arguments: Any) -> "Tuple[Mesh, Any]":
        """A copy after a function that changes a mesh in place."""
        lib, keep = library(), []  # type: Tuple[Library, List[Any]]
        mesh = Mesh(self.positions.copy(), self.tets.copy(), self.triangles.copy(), self.segments.copy())
        c, error = mesh._c(lib, keep), lib.error()
        lib.check(function, getattr(lib.call, function)(ctypes.byref(c), *arguments, ctypes.byref(error)), error)
        return mesh, c


def _meshio() -> Any:
    try:
        import meshio  # type: ignore[import]
    except ImportError:
        raise UnsupportedError("the package meshio is missing: apt-get install python3-meshio, or pip install meshio") from None
    return meshio


class _Array:
    """An array that the library has made; ct_free releases it with the last array that shows it."""


def _owned(lib: Library, pointer: Any, shape: Tuple[int, ...], dtype: Any) -> Any:
    owner = _Array()
    if pointer:
        weakref.finalize(owner, lib.call.ct_free, pointer).atexit = False
    return view(pointer, shape, dtype, owner, readonly=False)


def _made(function: str, *arguments: Any, culprit: str = "") -> Mesh:
    """The mesh that a function writes: its arrays are the library's own."""
    lib = library()
    c, error = lib.struct["ct_mesh"](), lib.error()
    lib.check(function, getattr(lib.call, function)(*arguments, ctypes.byref(c), ctypes.byref(error)), error, culprit)
    return Mesh(_owned(lib, c.positions, (c.n_positions, 3), np.float64),
                *[_owned(lib, getattr(c, n), (getattr(c, "n_" + n), w), np.int32) for n, w in WIDTHS])
