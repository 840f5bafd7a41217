"""kernels.py -- the arithmetic of one pair, one contact, one element: distances, the projection onto Coulomb's cone, a tetrahedron. Pure functions.

Points have the shape (k, 3); results are in double.
"""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Tuple, Union

import numpy as np

from . import _abi
from ._library import library
from ._options import at, fill
from ._record import enum_of, number, numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def _distance(name: str, x: Any, k: int) -> "Tuple[float, NDArray[np.float64]]":
    lib = library(64)
    points, d, weights = numbers(x, "x", (k, 3)), np.empty(1), np.empty(k)
    lib.check(name, getattr(lib.call, name)(at(points), at(d), at(weights)), lib.error())
    return float(d[0]), weights


def vertex_face(x: "ArrayLike") -> "Tuple[float, NDArray[np.float64]]":
    """(distance, weights) of a vertex and a triangle: weights @ x goes from the triangle's nearest point to the vertex."""
    return _distance("ct_dist_vertex_face", x, 4)


def edge_edge(x: "ArrayLike") -> "Tuple[float, NDArray[np.float64]]":
    """The same of edges x[0] x[1] and x[2] x[3]."""
    return _distance("ct_dist_edge_edge", x, 4)


def vertex_edge(x: "ArrayLike") -> "Tuple[float, NDArray[np.float64]]":
    return _distance("ct_dist_vertex_edge", x, 3)


def cone_project(mu: float, r: "ArrayLike") -> "NDArray[np.float64]":
    """The nearest point of |r_t| <= mu r_n; r is (n, t1, t2)."""
    lib, out = library(64), np.empty(3)
    lib.check("ct_cone_project", lib.call.ct_cone_project(number(mu, "mu"), at(numbers(r, "r", (3,))), at(out)), lib.error())
    return out


class Tet(NamedTuple):
    energy: float
    force: "NDArray[np.float64]"      # (4, 3), -d energy / dx
    stiffness: "NDArray[np.float64]"  # (12, 12), d2 energy / dx2


def tet(rest: "ArrayLike", x: "ArrayLike", model: Union[_abi.Model, str, int] = "corotational", **material: Any) -> Tet:
    """One linear tetrahedron with corners at rest and now (4, 3); material: fields of ct_material, such as young, poisson."""
    lib = library(64)
    m = lib.call.ct_material_default(enum_of("ct_model", model, "tet: model"))
    fill(m, dict(material), "tet")
    a, b = numbers(rest, "rest", (4, 3)), numbers(x, "x", (4, 3))
    energy, force, stiffness = np.empty(1), np.empty((4, 3)), np.empty((12, 12))
    code = lib.call.ct_tet_eval(ctypes.byref(m), at(a), at(b), at(energy), at(force), at(stiffness))
    lib.check("ct_tet_eval", code, lib.error())
    return Tet(float(energy[0]), force, stiffness)
