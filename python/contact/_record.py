"""_record.py -- structs of C as Python objects: fields by name, enumerations as their classes, arrays as numpy arrays.

What a user gives is checked here before C reads it: names of fields, kinds of numbers, shapes, ranges of integers. Values are C's to judge.
"""
from __future__ import annotations

import ctypes
import difflib
import operator
from typing import Any, Dict, Mapping

import numpy as np

from ._errors import ArgumentError


class Record:
    """A struct of C. Fields read and write as attributes; a nested struct is a view of its part."""
    __slots__ = ("_c", "_real", "_keep")
    _struct = ""
    _c: Any
    _real: int
    _keep: Any

    def __init__(self, c: Any, real: int, keep: Any = None) -> None:
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_real", real)
        object.__setattr__(self, "_keep", keep)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._c.kinds:
            raise AttributeError("%s has no field %r" % (type(self).__name__, name))
        return read_field(self._c, name, self._real, self)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._c.kinds:
            raise AttributeError("%s has no field %r%s" % (type(self).__name__, name, hint(name, self._c.kinds)))
        write_field(self._c, name, value, type(self).__name__)

    def __dir__(self) -> Any:
        return sorted(list(super().__dir__()) + [name for name in self._c.kinds if name != "cookie"])

    def asdict(self) -> Dict[str, Any]:
        """All fields, nested ones too, as a dict."""
        names = [n for n, kind in self._c.kinds.items()
                 if n not in ("cookie", "allocator") and not kind.startswith(("*", "fn ")) and not n.endswith("user")]
        values = {n: getattr(self, n) for n in names}
        return {n: v.asdict() if isinstance(v, Record) else v for n, v in values.items()}

    def __copy__(self) -> Any:
        return type(self)(type(self._c).from_buffer_copy(self._c), self._real, self._keep)

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and type(self._c) is type(other._c) and bytes(self._c) == bytes(other._c)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, plain(self.asdict()))


def plain(value: Any) -> str:
    """For people: of many fields those that are not 0."""
    if isinstance(value, dict):
        shown = {k: v for k, v in value.items() if len(value) <= 12 or hasattr(v, "name") or np.any([v])}
        return ", ".join("%s=%s" % (k, "{%s}" % plain(v) if isinstance(v, dict) else plain(v)) for k, v in shown.items())
    if isinstance(value, np.ndarray):
        return str(value.tolist())
    return repr(value.name.lower()) if hasattr(value, "name") else repr(value)


def hint(name: str, known: Any) -> str:
    """Help for a name that does not exist."""
    near = difflib.get_close_matches(name, [k for k in known if k != "cookie"], 1, 0.5)
    return "; did you mean %r?" % near[0] if near else ""


def dimensions(kind: str) -> "tuple[str, tuple[int, ...]]":
    base, _, rest = kind.partition("[")
    return base, tuple(int(d) for d in rest.rstrip("]").split("][")) if rest else ()


def read_field(c: Any, name: str, real: int, owner: Any) -> Any:
    from . import _abi  # after this module
    base, shape = dimensions(c.kinds[name])
    value = getattr(c, name)
    if base.startswith("enum "):
        try:
            return _abi.ENUMS[base[5:]](value)
        except ValueError:
            return value
    if base in ("struct ct_body_id", "struct ct_joint_id"):
        return value.index1, value.generation
    if base.startswith("struct "):
        return _abi.RECORDS.get(base[7:], Record)(value, real, owner)
    if base == "char*":
        return value.decode("utf-8", "replace") if value is not None else None
    if base == "char":
        return value.decode("utf-8", "replace")
    return np.array(value) if shape else value


def write_field(c: Any, name: str, value: Any, where: str) -> None:
    """Sets one field from what a user gave. `where` begins the text of an error."""
    kind = c.kinds[name]
    base, shape = dimensions(kind)
    what = "%s: %s" % (where, name)
    if base.startswith("enum "):
        setattr(c, name, enum_of(base[5:], value, what))
    elif base.startswith("struct "):
        write_struct(getattr(c, name), value, what)
    elif shape:
        array = numbers(value, what, shape, np.float64 if base in REALS else np.int64)
        flat = array.ravel().tolist()
        for i, x in enumerate(flat):
            put(getattr(c, name), np.unravel_index(i, shape), x)
    elif base in REALS:
        setattr(c, name, number(value, what))
    elif base in INTEGERS:
        setattr(c, name, integer(value, what, base))
    else:
        raise ArgumentError("%s is set by the library, not by a value" % what)


def put(target: Any, index: Any, x: Any) -> None:
    for i in index[:-1]:
        target = target[i]
    target[index[-1]] = x


def write_struct(c: Any, value: Any, what: str) -> None:
    if isinstance(value, Record):
        if type(value._c) is type(c):
            ctypes.memmove(ctypes.byref(c), ctypes.byref(value._c), ctypes.sizeof(c))
            return
        value = value.asdict()
    if not isinstance(value, Mapping):
        raise TypeError("%s: a dict of fields is expected, not %s" % (what, type(value).__name__))
    for name, v in value.items():
        check_name(name, c.kinds, what)
        write_field(c, name, v, what)


def check_name(name: Any, kinds: Any, what: str) -> None:
    if name not in kinds or name in ("cookie", "allocator"):
        raise TypeError("%s has no option %r%s" % (what, name, hint(str(name), kinds)))


REALS = ("ct_real", "double", "float")
INTEGERS = {"int": (-2**31, 2**31 - 1), "int32_t": (-2**31, 2**31 - 1), "uint32_t": (0, 2**32 - 1), "int64_t": (-2**63, 2**63 - 1),
            "uint64_t": (0, 2**64 - 1), "size_t": (0, 2**64 - 1), "uint8_t": (0, 255)}


def enum_of(enum: str, value: Any, what: str) -> int:
    """A constant, its name in lower or upper case, or its number."""
    from . import _abi
    cls = _abi.ENUMS[enum]
    if isinstance(value, str):
        if value.upper() in cls.__members__:
            return int(cls[value.upper()])
        names = [m.lower() for m in cls.__members__]
        raise ArgumentError("%s: no %r; it is one of %s" % (what, value, ", ".join(names)))
    if isinstance(value, cls):
        return int(value)
    if isinstance(value, bool) or isinstance(value, float):
        raise TypeError("%s: a name or a constant of %s is expected, not %r" % (what, cls.__name__, value))
    return integer(value, what, "int")


def number(value: Any, what: str) -> float:
    if isinstance(value, (str, bytes, complex)):
        raise TypeError("%s: a number is expected, not %r" % (what, value))
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError("%s: a number is expected, not %s" % (what, type(value).__name__)) from None


def integer(value: Any, what: str, kind: str = "int") -> int:
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError("%s: an integer is expected, not %r" % (what, value)) from None
    low, high = INTEGERS[kind]
    if not low <= value <= high:
        raise ArgumentError("%s: %d is not between %d and %d" % (what, value, low, high))
    return int(value)


def numbers(value: Any, what: str, shape: Any = None, dtype: Any = np.float64) -> Any:
    """An array of numbers in rows, contiguous, of `dtype`; a copy only where the given one is not so already. A -1 in `shape` is any length."""
    try:
        array = np.asarray(value)
    except ValueError as e:
        raise ArgumentError("%s: no array of numbers: %s" % (what, e)) from None
    kinds = "iuf" if np.dtype(dtype).kind == "f" else "iu"
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(dtype)
    if array.dtype.kind not in kinds:
        raise TypeError("%s: %s are expected, not %s" % (what, "numbers" if "f" in kinds else "integers", array.dtype))
    if shape is not None and (array.ndim != len(shape) or any(s not in (-1, a) for s, a in zip(shape, array.shape))):
        expected = "(%s)" % ", ".join("n" if s == -1 else str(s) for s in shape) if len(shape) != 1 else \
            "(n,)" if shape[0] == -1 else "(%d,)" % shape[0]
        raise ArgumentError("%s: an array of shape %s is expected, not %s" % (what, expected, array.shape))
    if np.dtype(dtype).kind == "i" and array.size and array.dtype.itemsize >= np.dtype(dtype).itemsize and array.dtype != dtype:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if int(array.min()) < low or int(array.max()) > high:
            raise ArgumentError("%s: an entry is not between %d and %d" % (what, low, high))
    return np.ascontiguousarray(array, dtype)
