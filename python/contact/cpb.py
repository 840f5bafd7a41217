"""cpb.py -- files of contact problems (docs/cpb.md) as numpy arrays, without the library: for tools of your own.

    kind, arrays = contact.cpb.read("problem.cpb")      arrays["f"] is an array, arrays["H"] a CSR
    contact.cpb.write("mine.cpb", contact.cpb.QP, {"P": A, "J": J, "b": b, "c": c})
"""
from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Tuple

import numpy as np

from ._errors import ArgumentError, FileError, FormatError
from ._record import numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOCAL, GLOBAL, QP = 1, 2, 3
BLOCKS = ("A", "W")  # matrices of 3x3 blocks; of A and of whole-or-half P and M the upper part is enough
MATRICES = ("A", "W", "J", "H", "M", "P")


class CSR(NamedTuple):
    """A sparse matrix by rows, as scipy has it: row i has the columns indices[indptr[i]:indptr[i + 1]] and their numbers in data."""
    data: "NDArray[np.float64]"
    indices: "NDArray[np.int32]"
    indptr: "NDArray[np.int32]"
    shape: Tuple[int, int]

    def toarray(self) -> "NDArray[np.float64]":
        full = np.zeros(self.shape)
        np.add.at(full, (self.rows(), self.indices), self.data)
        return full

    def rows(self) -> "NDArray[np.int32]":
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.indptr))

    def dot(self, x: Any) -> "NDArray[np.float64]":
        return np.bincount(self.rows(), self.data * np.asarray(x)[self.indices], self.shape[0]).astype(np.float64)

    @property
    def T(self) -> "CSR":
        return from_entries(self.indices, self.rows(), self.data, (self.shape[1], self.shape[0]))

    def toscipy(self) -> Any:
        """A scipy.sparse.csr_matrix of the same arrays."""
        import scipy.sparse  # type: ignore[import]
        return scipy.sparse.csr_matrix((self.data, self.indices, self.indptr), self.shape)


def from_entries(rows: Any, columns: Any, data: Any, shape: Tuple[int, int]) -> CSR:
    order = np.lexsort((columns, rows))
    counts = np.bincount(np.asarray(rows, np.int64), minlength=shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return CSR(np.asarray(data, np.float64)[order], np.asarray(columns, np.int32)[order], indptr, (int(shape[0]), int(shape[1])))


def csr(value: Any, what: str) -> CSR:
    """A CSR from one, a scipy matrix, (data, indices, indptr, shape), ((data, indices, indptr), shape), or a dense array."""
    if hasattr(value, "tocsr"):
        value = value.tocsr()
        value = (value.data, value.indices, value.indptr, value.shape)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple):
        value = tuple(value[0]) + (value[1],)
    if not isinstance(value, tuple):
        full = numbers(value, what, (-1, -1))
        rows, columns = np.nonzero(full)
        return from_entries(rows, columns, full[rows, columns], full.shape)
    if len(value) != 4:
        raise TypeError("%s: a matrix, or (data, indices, indptr, shape) is expected, not %d values" % (what, len(value)))
    data, indices = numbers(value[0], what + ": data", (-1,)), numbers(value[1], what + ": indices", (-1,), np.int32)
    indptr, shape = numbers(value[2], what + ": indptr", (-1,), np.int32), tuple(int(n) for n in value[3])
    if len(shape) != 2 or len(indptr) != shape[0] + 1 or indptr[0] != 0 or (np.diff(indptr) < 0).any() or \
            not indptr[-1] == len(indices) == len(data):
        raise ArgumentError("%s: indptr has rows + 1 entries, begins with 0, does not fall, and ends with the length of indices and data" % what)
    if len(indices) and (indices.min() < 0 or indices.max() >= shape[1]):
        raise ArgumentError("%s: column %d of a matrix with %d columns"
                            % (what, indices.min() if indices.min() < 0 else indices.max(), shape[1]))
    return CSR(data, indices, indptr, (shape[0], shape[1]))


def read(path: Any) -> Tuple[int, Dict[str, Any]]:
    """(kind, {name: array or CSR}). Matrices are whole, of scalars."""
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as e:
        raise FileError(str(e), "cpb.read") from None
    if len(raw) < 16 or raw[:8] != b"CPB1\0\0\0\0":
        raise FormatError("%s: byte 0: the magic CPB1 is expected" % path, "cpb.read")
    kind, count = struct.unpack_from("<II", raw, 8)
    at, arrays = 16, {}  # type: Tuple[int, Dict[str, Any]]
    for k in range(min(count, 65)):
        if at + 32 > len(raw):
            raise FormatError("%s: byte %d: array %d of %d is expected" % (path, at, k + 1, count), "cpb.read")
        name, kind_of, _, n = struct.unpack_from("<16sIIQ", raw, at)
        if kind_of > 1 or n >= 2**28 or at + 32 + n * (4, 8)[kind_of] > len(raw):
            raise FormatError("%s: byte %d: an array's type or length" % (path, at + 16), "cpb.read")
        arrays[name.rstrip(b"\0").decode("latin-1")] = np.frombuffer(raw, ("<i4", "<f8")[kind_of], n, at + 32).copy()
        at += 32 + (n * (4, 8)[kind_of] + 7) // 8 * 8
    return kind, assembled(path, arrays)


def assembled(path: Any, arrays: Dict[str, Any]) -> Dict[str, Any]:
    """Arrays X.dim, X.p, X.i, X.x become the matrix X."""
    found = {name: a for name, a in arrays.items() if "." not in name}
    for name in MATRICES:
        if name + ".dim" not in arrays:
            continue
        try:
            p, i, x = (arrays[name + part] for part in (".p", ".i", ".x"))
            rows, columns = (int(n) for n in arrays[name + ".dim"])
            first = np.repeat(np.arange(rows), np.diff(p))
            if name in BLOCKS:
                k = np.arange(9)
                r, c, x = (3 * first[:, None] + k // 3).ravel(), (3 * i[:, None] + k % 3).ravel(), x.ravel()
                rows, columns = 3 * rows, 3 * columns
            else:
                r, c = first, i
            if name == "A" or (name in ("M", "P") and (c >= r).all()):
                r, c, x = mirrored(r, c, x, 3 if name == "A" else 1)
            found[name] = from_entries(r, c, x, (rows, columns))
        except (KeyError, ValueError, IndexError) as e:
            raise FormatError("%s: the matrix %s: %s" % (path, name, e), "cpb.read") from None
    return found


def mirrored(r: Any, c: Any, x: Any, block: int) -> Tuple[Any, Any, Any]:
    """The whole of a symmetric matrix whose upper (block) triangle is stored."""
    off = r // block != c // block
    return np.concatenate([r, c[off]]), np.concatenate([c, r[off]]), np.concatenate([x, x[off]])


def write(path: Any, kind: int, arrays: Mapping[str, Any]) -> None:
    """Matrices (J, H, M, P as scalars; W in blocks) and arrays. A symmetric matrix is best given as P (QP) or M (GLOBAL)."""
    parts: List[Tuple[str, Any]] = []
    for name, value in arrays.items():
        if name not in MATRICES:
            parts.append((name, np.atleast_1d(np.asarray(value))))
            continue
        m = csr(value, name)
        p, i, x, shape = m.indptr, m.indices, m.data, m.shape
        if name in BLOCKS:
            p, i, x, shape = blocks(m, name == "A", name)
        parts += [(name + ".dim", np.array(shape, np.int32)), (name + ".p", p), (name + ".i", i), (name + ".x", x)]
    with open(path, "wb") as f:
        f.write(struct.pack("<8sII", b"CPB1", kind, len(parts)))
        for name, array in parts:
            whole = array.dtype.kind in "iub"
            raw = array.astype("<i4" if whole else "<f8").tobytes()
            f.write(struct.pack("<16sIIQ", name.encode("ascii"), 0 if whole else 1, 0, array.size) + raw + b"\0" * (-len(raw) % 8))


def blocks(m: CSR, upper: bool, what: str) -> Tuple[Any, Any, Any, Tuple[int, int]]:
    """A matrix in 3x3 blocks by rows."""
    if m.shape[0] % 3 or m.shape[1] % 3:
        raise ArgumentError("%s: %s has no 3x3 blocks" % (what, m.shape))
    r, c = m.rows() // 3, m.indices // 3
    keep = c >= r if upper else np.ones(len(c), bool)
    width = m.shape[1] // 3
    places, which = np.unique(r[keep].astype(np.int64) * width + c[keep], return_inverse=True)
    x = np.zeros((len(places), 9))
    np.add.at(x, (which, 3 * (m.rows()[keep] % 3) + m.indices[keep] % 3), m.data[keep])
    counts = np.bincount(places // width, minlength=m.shape[0] // 3) if width else np.zeros(m.shape[0] // 3, np.int64)
    p = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return p, (places % max(1, width)).astype(np.int32), x.ravel(), (m.shape[0] // 3, m.shape[1] // 3)
