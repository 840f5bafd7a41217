"""_options.py -- keyword arguments into descriptions of C: names, enumerations, arrays, functions; and the arrays that must live as long."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List

import numpy as np

from ._errors import ArgumentError
from ._library import Library, address
from ._record import check_name, integer, number, numbers, write_field


def fill(c: Any, options: Dict[str, Any], where: str) -> None:
    """Fields of a description from keyword arguments."""
    for name, value in options.items():
        check_name(name, c.kinds, where)
        if value is not None or not c.kinds[name].startswith("fn "):
            write_field(c, name, value, where)


def text(value: Any, what: str) -> bytes:
    """A string for C, which ends at its first zero."""
    if isinstance(value, bytes):
        raw = value
    else:
        try:
            raw = (value if isinstance(value, str) else value.__fspath__()).encode("utf-8", "surrogateescape")
        except AttributeError:
            raise TypeError("%s: a string is expected, not %s" % (what, type(value).__name__)) from None
    if b"\0" in raw:
        raise ArgumentError("%s: a string without a zero character is expected" % what)
    return raw


def vector(lib: Library, value: Any, what: str, n: int = 3) -> Any:
    return numbers(value, what, (n,), lib.dtype)


def at(array: Any) -> Any:
    """The address of an array, or NULL."""
    return None if array is None else address(array)


def point(c: Any, field: str, array: Any, keep: List[Any]) -> None:
    """A field of a description that points to an array's numbers."""
    kind = dict(type(c)._fields_)[field]
    keep.append(array)
    setattr(c, field, array.ctypes.data if kind is ctypes.c_void_p else ctypes.cast(array.ctypes.data, kind))


def motion(lib: Library, value: Any, what: str) -> Any:
    """A ct_motion from a dict with linear, angular, center."""
    c = lib.struct["ct_motion"]()
    if not isinstance(value, dict):
        raise TypeError("%s: a dict with linear, angular, center is expected, not %s" % (what, type(value).__name__))
    fill(c, value, what)
    return c


def path(lib: Library, segments: Any, what: str) -> Any:
    """An array of ct_motion_segment from dicts of a motion with a duration; without one the segment lasts for ever."""
    rows = list(segments)
    array = (lib.struct["ct_motion_segment"] * max(1, len(rows)))()
    for c, row in zip(array, rows):
        row = dict(row)
        c.duration = number(row.pop("duration", -1), what + ": duration")
        c.motion = motion(lib, row, what)
    return array, len(rows)


def axes_of(value: Any, what: str) -> int:
    """"xz", or a mask of Axis."""
    if not isinstance(value, str):
        return integer(value, what)
    if not value or set(value) - set("xyz"):
        raise ArgumentError("%s: some of \"xyz\" are expected, not %r" % (what, value))
    return sum({"x": 1, "y": 2, "z": 4}[c] for c in set(value))


def indices(value: Any, what: str) -> Any:
    """Vertex numbers: one, a list, or a mask of True where they are."""
    array = np.atleast_1d(np.asarray(value))
    if array.dtype == bool:
        array = np.flatnonzero(array)
    return numbers(array, what, (-1,), np.int32)
