"""_library.py -- the shared libraries, one for each precision, and their functions, by ctypes from the tables of _abi.py."""
from __future__ import annotations

import ctypes
import functools
import os
import threading
from typing import Any, Dict, List, Tuple

import numpy as np

from . import _abi
from ._errors import ArgumentError, ContactError, UnsupportedError, error_of

HERE = os.path.dirname(os.path.abspath(__file__))
SCALARS: Dict[str, Any] = {
    "int": ctypes.c_int, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8, "double": ctypes.c_double, "char": ctypes.c_char, "char*": ctypes.c_char_p}

# structs that lists are made of: rows of numpy's arrays
ROWS = ("ct_contact", "ct_touch", "ct_pair", "ct_body_pair", "ct_joint_break", "ct_hit", "ct_skin_limit")


class Library:
    """The functions of contact.h in one precision: `call.ct_world_step(...)`, and its structs: `struct["ct_mesh"]`."""

    def __init__(self, real: int) -> None:
        self.real = real
        self.dtype = np.dtype(np.float64 if real == 64 else np.float32)
        path = os.path.join(HERE, "libcontact.so" if real == 64 else "libcontact32.so")
        if not os.path.exists(path):
            raise UnsupportedError("this build has no %d-bit library (%s)" % (real, path))
        self.scalar = ctypes.c_double if real == 64 else ctypes.c_float
        self.struct: Dict[str, Any] = {}
        structs: Dict[str, Any] = _abi.STRUCTS
        for name, fields in structs.items():
            self.struct[name] = type(name, (ctypes.Structure,), {"_fields_": [(f, self.type_of(t)) for f, t in fields], "kinds": dict(fields)})
        self.rows = {name: np.dtype(self.struct[name]) for name in ROWS}
        dll = ctypes.CDLL(path)
        self.call: Any = type("Functions", (), {})()
        suffix = "_f32" if hasattr(dll, "ct_world_step_f32") else ""  # of contact.h in float, not of its sources
        functions: Dict[str, Any] = _abi.FUNCTIONS
        for name, (result, arguments) in functions.items():
            function = getattr(dll, name + suffix)
            function.restype = None if result == "void" else self.type_of(result)
            function.argtypes = [self.type_of(t) for t in arguments]
            setattr(self.call, name, function)
        self.version_check()

    def version_check(self) -> None:
        info = self.call.ct_library_info_get().contents
        version = "%d.%d.%d" % (info.version_major, info.version_minor, info.version_patch)
        if version != _abi.VERSION or info.real_bits != self.real:
            raise ContactError("the library is version %s with %d bits, its declarations are of %s with %d: build the package anew"
                               % (version, info.real_bits, _abi.VERSION, self.real))

    def type_of(self, text: str) -> Any:
        """The ctypes type of a type in the tables."""
        if text.startswith("fn "):
            return ctypes.CFUNCTYPE(*self.signature(text))
        if text.startswith("*"):
            inner = text[1:].strip()
            # numbers are numpy's, and a pointer to them an address
            return ctypes.POINTER(self.struct[inner[7:]]) if inner.startswith("struct ") and inner[7:] in self.struct else ctypes.c_void_p
        base, _, rest = text.partition("[")
        c: Any
        if base.startswith("enum "):
            c = ctypes.c_int
        elif base.startswith("struct "):
            c = self.struct[base[7:]]
        else:
            c = self.scalar if base == "ct_real" else SCALARS[base]
        for n in reversed(rest.rstrip("]").split("][") if rest else []):
            c = c * int(n)
        return c

    def signature(self, text: str) -> Tuple[Any, ...]:
        """Result and arguments of a pointer to a function."""
        result, _, arguments = text[3:].partition(" (")
        types: List[Any] = [None if result == "void" else ctypes.c_void_p if result.startswith("*") else self.type_of(result)]
        return tuple(types + [self.type_of(t) for t in arguments.rstrip(")").split(", ") if t])

    def error(self) -> Any:
        return self.struct["ct_error_info"]()

    def check(self, function: str, code: int, info: Any, culprit: str = "") -> None:
        """Raises what a function without a world has refused. `culprit`: a path."""
        function += "(%r)" % culprit if culprit else ""
        if code:
            text = info.text.decode("utf-8", "replace") if info.code == code and info.text else self.text(code)
            raise error_of(function, code, text, None, info.element, info.value)

    def text(self, code: int) -> str:
        return str(self.call.ct_code_text(code).decode())


LOADED: Dict[int, Library] = {}
LOADING = threading.Lock()


def library(real: int = 64) -> Library:
    """Loaded once, whatever threads ask: structs of one Library are not those of another."""
    found = LOADED.get(real)
    if found is None:
        if real not in (32, 64):
            raise ArgumentError("real is 64 or 32, not %r" % (real,))
        with LOADING:
            found = LOADED[real] = LOADED.get(real) or Library(real)
    return found


@functools.lru_cache(None)
def keeper() -> Any:
    """_keeper.c: memory of worlds that outlives them as long as arrays show it, and a clock."""
    dll = ctypes.CDLL(os.path.join(HERE, "_keeper.so"))
    dll.contact_keeper_create.restype = ctypes.c_void_p
    for name in ("contact_keeper_destroy", "contact_keeper_hold", "contact_keeper_release"):
        getattr(dll, name).argtypes = [ctypes.c_void_p, ctypes.c_void_p][:1 if name.endswith("destroy") else 2]
        getattr(dll, name).restype = ctypes.c_int if name.endswith("hold") else None
    return dll


def address(array: Any) -> int:
    """Where the numbers of a contiguous array are; None (NULL) for None."""
    return array.__array_interface__["data"][0] if array is not None else None


class Memory:
    """Numbers that C owns, for numpy: an array that is made of it keeps `owner` alive, which frees them."""

    def __init__(self, at: int, shape: Tuple[int, ...], dtype: Any, owner: Any, readonly: bool) -> None:
        dtype = np.dtype(dtype)
        self.owner = owner
        self.__array_interface__: Dict[str, Any] = {"version": 3, "shape": shape, "data": (at, readonly), "typestr": dtype.str, "descr": dtype.descr}


def view(at: Any, shape: Tuple[int, ...], dtype: Any, owner: Any, readonly: bool = True) -> Any:
    """An array over memory of C, without a copy. Structs are seen through their bytes, since numpy's descr has no nested padding."""
    dtype = np.dtype(dtype)
    if not at or 0 in shape:
        return np.empty(shape, dtype)
    if dtype.fields is None:
        return np.asarray(Memory(at, shape, dtype, owner, readonly))
    raw = np.asarray(Memory(at, (shape[0] * dtype.itemsize,), np.uint8, owner, readonly))
    return raw.view(dtype)
