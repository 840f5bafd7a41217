"""ccd.py -- continuous collision detection: when two features that move on straight lines come as near as min_distance. No answer is late.

Points have the shape (k, 3), or (n, k, 3) for n queries at once: k is 4 for vertex_face (vertex, face) and edge_edge, 3 for vertex_edge, 2 for
vertex_vertex. x0 is where they begin, x1 where they end. float32 arrays are computed in float, all others in double.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple, Union

import numpy as np

from ._errors import ArgumentError
from ._library import Library, library
from ._options import at
from ._record import number, numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Times = Union[float, "NDArray[Any]"]


def _points(x0: Any, x1: Any, k: int) -> Tuple[Library, Any, Any, bool]:
    a, b = np.asarray(x0), np.asarray(x1)
    lib = library(32 if a.dtype == b.dtype == np.float32 else 64)
    single = a.ndim == 2
    shape = (k, 3) if single else (-1, k, 3)
    a, b = numbers(a, "x0", shape, lib.dtype), numbers(b, "x1", shape, lib.dtype)
    if a.shape != b.shape:
        raise ArgumentError("x0 and x1: %s and %s are not of one shape" % (a.shape, b.shape))
    return lib, a.reshape(-1, k, 3), b.reshape(-1, k, 3), single


def _forward(name: str, x0: Any, x1: Any, k: int, min_distance: float) -> Any:
    lib, a, b, single = _points(x0, x1, k)
    h, out = number(min_distance, "min_distance"), np.empty(len(a), lib.dtype)
    if k == 4:
        quads = np.arange(4 * len(a), dtype=np.int32)
        code = getattr(lib.call, name + "_batch")(at(a), at(b), at(quads), len(a), h, at(out))
        lib.check(name + "_batch", code, lib.error())
    else:
        for i in range(len(a)):
            lib.check(name, getattr(lib.call, name)(at(a[i]), at(b[i]), h, at(out[i:])), lib.error())
    return float(out[0]) if single else out


def _backward(name: str, x0: Any, x1: Any, k: int, min_distance: float) -> Any:
    lib, a, b, single = _points(x0, x1, k)
    h, last, before = number(min_distance, "min_distance"), np.empty(len(a), lib.dtype), np.empty(len(a), lib.dtype)
    for i in range(len(a)):
        lib.check(name, getattr(lib.call, name)(at(a[i]), at(b[i]), h, at(last[i:]), at(before[i:])), lib.error())
    return (float(last[0]), float(before[0])) if single else (last, before)


def vertex_face(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Times:
    """The first time in [0, 1], rounded down; 2 when they stay apart."""
    return _forward("ct_ccd_vertex_face", x0, x1, 4, min_distance)


def edge_edge(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Times:
    """The same of two edges."""
    return _forward("ct_ccd_edge_edge", x0, x1, 4, min_distance)


def vertex_edge(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Times:
    return _forward("ct_ccd_vertex_edge", x0, x1, 3, min_distance)


def vertex_vertex(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Times:
    return _forward("ct_ccd_vertex_vertex", x0, x1, 2, min_distance)


def _indexed(name: str, x0: Any, x1: Any, quads: Any, min_distance: float) -> Any:
    a, b = np.asarray(x0), np.asarray(x1)
    lib = library(32 if a.dtype == b.dtype == np.float32 else 64)
    a, b = numbers(a, "x0", (-1, 3), lib.dtype), numbers(b, "x1", (-1, 3), lib.dtype)
    rows = numbers(quads, "quads", (-1, 4), np.int32)
    if a.shape != b.shape:
        raise ArgumentError("x0 and x1: %s and %s are not of one shape" % (a.shape, b.shape))
    if len(rows) and (rows.min() < 0 or rows.max() >= len(a)):
        raise ArgumentError("quads: point %d of %d" % (rows.min() if rows.min() < 0 else rows.max(), len(a)))
    out = np.empty(len(rows), lib.dtype)
    lib.check(name, getattr(lib.call, name)(at(a), at(b), at(rows), len(rows), number(min_distance, "min_distance"), at(out)), lib.error())
    return out


def vertex_face_batch(x0: "ArrayLike", x1: "ArrayLike", quads: "ArrayLike", min_distance: float = 0.0) -> "NDArray[Any]":
    """Of points x0, x1 (n, 3), and rows of their numbers (q, 4): vertex, face."""
    return _indexed("ct_ccd_vertex_face_batch", x0, x1, quads, min_distance)


def edge_edge_batch(x0: "ArrayLike", x1: "ArrayLike", quads: "ArrayLike", min_distance: float = 0.0) -> "NDArray[Any]":
    return _indexed("ct_ccd_edge_edge_batch", x0, x1, quads, min_distance)


def vertex_face_backward(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Tuple[Times, Times]:
    """The last time at which they are as near (-1: never), and a time before that contact began (-1: none; 1: never as near)."""
    return _backward("ct_ccd_vertex_face_backward", x0, x1, 4, min_distance)


def edge_edge_backward(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Tuple[Times, Times]:
    return _backward("ct_ccd_edge_edge_backward", x0, x1, 4, min_distance)


def vertex_edge_backward(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Tuple[Times, Times]:
    return _backward("ct_ccd_vertex_edge_backward", x0, x1, 3, min_distance)


def vertex_vertex_backward(x0: "ArrayLike", x1: "ArrayLike", min_distance: float = 0.0) -> Tuple[Times, Times]:
    return _backward("ct_ccd_vertex_vertex_backward", x0, x1, 2, min_distance)
