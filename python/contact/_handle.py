"""_handle.py -- a world of C as Python owns it: one thread at a time, functions of the user's, and views that keep it alive."""
from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._errors import ArgumentError, error_of
from ._library import Library, keeper, view


class Callbacks:
    """Functions of a user that C calls. The first exception in one is kept, the others are not called any more, and the call of C raises it.
    `kept` are those that C calls as long as the world lives."""

    def __init__(self) -> None:
        self.kept: List[Any] = []
        self.raised: Optional[BaseException] = None
        self.depth = 0

    def wrap(self, kind: Any, function: Callable[..., Any], otherwise: Any, what: str) -> Any:
        """A C function pointer of type `kind`; `otherwise` is its result after an exception."""
        if not callable(function):
            raise TypeError("%s: a function is expected, not %s" % (what, type(function).__name__))

        def guarded(*arguments: Any) -> Any:
            if self.raised is not None:
                return otherwise
            self.depth += 1
            try:
                return function(*arguments)
            except BaseException as e:  # C is in between: it is raised behind it
                self.raised = e
                return otherwise
            finally:
                self.depth -= 1
        return kind(guarded)

    def raise_kept(self) -> None:
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


class _Held:
    """One view of a world's memory: its array has it for an owner, and the world for as long."""
    __slots__ = ("handle", "pointer")

    def __init__(self, handle: "Handle", pointer: int) -> None:
        self.handle, self.pointer = handle, pointer

    def __del__(self) -> None:
        self.handle.released.append(self.pointer)


class Handle:
    """Owns a ct_world. It ends when nothing refers to it any more: the World is closed, and so are all views."""

    def __init__(self, lib: Library, callbacks: Callbacks) -> None:
        self.lib, self.callbacks = lib, callbacks
        self.lock = threading.RLock()
        self.released: List[int] = []  # views that have ended, to be told to the keeper by a thread that has the world
        self.keeper = keeper().contact_keeper_create()
        if not self.keeper:
            raise MemoryError("no memory for a world")
        self.pointer: Any = None

    def create(self, desc: Any) -> None:
        error, out = self.lib.error(), ctypes.c_void_p()
        desc.allocator.resize = ctypes.cast(keeper().contact_keeper_resize, type(desc.allocator.resize))
        desc.allocator.user = self.keeper
        code = self.lib.call.ct_world_create(ctypes.byref(desc), ctypes.addressof(out), ctypes.byref(error))
        if code:
            self.callbacks.raise_kept()
            self.lib.check("ct_world_create", code, error)
        assert out.value
        self.pointer = out.value
        self.callbacks.raise_kept()

    def __del__(self) -> None:
        """Not at the end of the process, up to which arrays may be looked at. The user's functions, which may refer to the world, and which it may
        call once more, are still there; that is why this is no weakref.finalize, whose arguments would keep such a world for ever."""
        if sys is None or sys.is_finalizing() or not getattr(self, "keeper", None):
            return
        self.callbacks.depth += 1  # they may not call it any more
        self.lib.call.ct_world_destroy(self.pointer)
        keeper().contact_keeper_destroy(self.keeper)

    def enter(self) -> None:
        """Takes the lock; a function of the user's that is called in the middle of a call may not call its world."""
        self.lock.acquire()
        if self.callbacks.depth:
            self.lock.release()
            raise ArgumentError("a function that the world calls may not call the world")

    def call(self, world: Any, name: str, *arguments: Any) -> None:
        """A function of the world that returns a code."""
        self.enter()
        try:
            code = getattr(self.lib.call, name)(self.pointer, *arguments)
            self.callbacks.raise_kept()
            if code:
                raise self.error(world, name, code)
        finally:
            self.lock.release()

    def ask(self, name: str, *arguments: Any) -> Any:
        """A function of the world that returns a value."""
        self.enter()
        try:
            return getattr(self.lib.call, name)(self.pointer, *arguments)
        finally:
            self.lock.release()

    def error(self, world: Any, name: str, code: int) -> Exception:
        info = self.lib.call.ct_world_error(self.pointer).contents
        if info.code != code:
            return error_of(name, code, self.lib.text(code))
        text, element, value = info.text.decode("utf-8", "replace"), info.element, info.value  # its body's name is another call
        body = world.body((info.body.index1, info.body.generation)) if info.body.index1 else None
        return error_of(name, code, text, body, element, value)

    def view(self, pointer: Any, shape: Tuple[int, ...], dtype: Any) -> Any:
        """An array over the world's memory, which keeps the world and that memory alive. Called with the lock."""
        while self.released:
            keeper().contact_keeper_release(self.keeper, self.released.pop())
        if not pointer or 0 in shape:
            return np.empty(shape, dtype)
        if not keeper().contact_keeper_hold(self.keeper, pointer):
            raise MemoryError("no memory for a view")
        return view(pointer, shape, dtype, _Held(self, pointer))
