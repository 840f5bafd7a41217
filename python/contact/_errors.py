"""_errors.py -- result codes as exceptions: the text of the library, and the culprit's numbers."""
from __future__ import annotations

import re
from typing import Any, Dict, Optional, Type

# what helps in Python where the library's text names the fault alone: a part of the text, and the cure
CURES = (
    ("needs tets", "here Mesh.tetrahedralized and World.add_cloth"),
    ("inverted or flat", "tets[:, [1, 0, 2, 3]] turns them round"),
    ("stale or null body id", "Body.alive tells"),
    ("stale or null joint id", "it has been removed, perhaps with one of its bodies"),
    ("NULL or not finite", "numpy.isfinite finds what is not a number"),
    ("mesh formats that are read", "Mesh.from_meshio reads those of meshio"),
    ("mesh formats that are written", "Mesh.to_meshio writes those of meshio"),
    ("cell is too small", "a cell has the unit of the mesh; Mesh.transformed(scale=0.001) turns mm into m"),
)


class ContactError(Exception):
    """What the library refused. Nothing has changed where a call ends with it.

    text      what is wrong, in the library's words
    function  the function of contact.h, and the file or the new body that it is about
    code      its result
    body      the Body it is about, or None
    element   vertex, tet, triangle or line number, as the text says; -1: none
    value     the number that is wrong, where there is one
    """
    code = 0

    def __init__(self, text: str, function: str = "", body: Any = None, element: int = -1, value: float = 0.0, code: Optional[int] = None) -> None:
        text = text.replace(function.partition("(")[0] + ": ", "", 1) if function else text
        self.text, self.function, self.body, self.element, self.value = text, function, body, element, value
        if code is not None:
            self.code = code
        numbers = [str(body)] if body is not None and "body '" not in text else []
        if not re.search(r"\(.* -?[\d.e+-]+\)$", text):  # the text has them
            numbers += (["element %d" % element] if element != -1 else []) + (["value %g" % value] if value != 0 else [])
        cure = next(("; " + c for part, c in CURES if part in text), "")
        super().__init__((function + ": " if function else "") + text + (" [%s]" % ", ".join(numbers) if numbers else "") + cure)

    def about(self, culprit: str) -> "ContactError":
        """The same, naming a file or a body that is not there yet."""
        if not culprit or not self.function:
            return self
        text = self.text[len("body '%s': " % culprit):] if self.text.startswith("body '%s': " % culprit) else self.text
        return type(self)(text, "%s(%r)" % (self.function, culprit), self.body, self.element, self.value, self.code)


class ArgumentError(ContactError, ValueError):
    """An argument is out of its range."""
    code = 1


class StaleIdError(ContactError, ReferenceError):
    """A body or joint that has been removed."""
    code = 2


class MeshError(ContactError, ValueError):
    """A mesh that cannot be used."""
    code = 3


class OutOfMemoryError(ContactError, MemoryError):
    code = 4


class FileError(ContactError, OSError):
    """A file that cannot be opened, read or written."""
    code = 5


class FormatError(ContactError, ValueError):
    """A file that is not what its format says."""
    code = 6


class UnsupportedError(ContactError, NotImplementedError):
    """What this stepper, solver, format or build does not have."""
    code = 7


class DomainError(ContactError, ValueError):
    """An argument outside of a function's domain."""
    code = 8


class ClosedError(ContactError, ValueError):
    """A world that has been closed."""
    code = 1


CLASSES: Dict[int, Type[ContactError]] = {c.code: c for c in (
    ArgumentError, StaleIdError, MeshError, OutOfMemoryError, FileError, FormatError, UnsupportedError, DomainError)}


def error_of(function: str, code: int, text: str, body: Any = None, element: int = -1, value: float = 0.0) -> ContactError:
    return CLASSES.get(code, ContactError)(text, function, body, element, value, code)
