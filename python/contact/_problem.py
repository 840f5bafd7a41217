"""_problem.py -- contact problems without a world, and the solvers."""
from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

import numpy as np

from . import _abi, cpb
from ._errors import ArgumentError
from ._handle import Callbacks
from ._library import keeper, library, view
from ._options import at, fill, point, text
from ._record import enum_of, numbers

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

NUMBERS = ("iterations", "seconds", "objective", "residual", "dynamics", "primal", "dual", "gap", "natural", "unscaled", "proof_rows", "proof_value",
           "proof_off")


class Solution:
    """How a solve ended: x, r (multipliers), outcome, solver, why, and the judge's numbers, as ct_solution has them."""
    x: "NDArray[np.float64]"
    r: "NDArray[np.float64]"
    outcome: _abi.Outcome
    solver: _abi.Solver
    why: str
    iterations: int
    seconds: float
    objective: float
    residual: float
    dynamics: float
    primal: float
    dual: float
    gap: float
    natural: float
    unscaled: float
    proof_rows: int
    proof_value: float
    proof_off: float

    def __init__(self, c: Any, x: Any, r: Any) -> None:
        self.x, self.r, self.outcome, self.solver = x, r, _abi.Outcome(c.outcome), _abi.Solver(c.solver)
        self.why = c.why.decode("utf-8", "replace") if c.why else ""
        for name in NUMBERS:
            setattr(self, name, getattr(c, name))

    @property
    def solved(self) -> bool:
        return self.outcome == _abi.Outcome.SOLVED

    def __repr__(self) -> str:
        return "Solution(%s by %s, residual=%.3g, iterations=%d%s)" % (
            self.outcome.name.lower(), self.solver.name.lower(), self.residual, self.iterations, ", why=%r" % self.why if self.why else "")


class Problem:
    """A contact problem. Make one with read, qp, contacts, local, lcp, or World.problem. Matrices are scipy's, CSR, tuples or dense arrays."""

    def __init__(self, pointer: int) -> None:
        self._pointer, self._lib = pointer, library()
        weakref.finalize(self, self._lib.call.ct_problem_free, pointer).atexit = False
        info = self._lib.struct["ct_problem_info"]()
        self._lib.check("ct_problem_info_get", self._lib.call.ct_problem_info_get(pointer, ctypes.byref(info)), self._lib.error())
        self.kind = _abi.ProblemKind(info.kind)
        self.n, self.m, self.contact_count = info.n, info.m, info.contacts
        self.objective_ref = info.objective_ref if info.has_objective else None
        self.expect = info.expect
        self.x_ref: Optional[NDArray[np.float64]] = view(info.x_ref, (info.n,), np.float64, self) if info.x_ref else None
        self.r_ref: Optional[NDArray[np.float64]] = view(info.r_ref, (info.m,), np.float64, self) if info.r_ref else None

    def __repr__(self) -> str:
        return "Problem(%s, n=%d, m=%d%s)" % (self.kind.name, self.n, self.m, ", %d contacts" % self.contact_count if self.contact_count else "")

    # ---- making one ----
    @staticmethod
    def read(path: "Union[str, PathLike[str]]") -> "Problem":
        """A file .cpb, .lcp or .blcp."""
        return _create("ct_problem_read", text(path, "path"), str(path))

    def write(self, path: "Union[str, PathLike[str]]") -> None:
        """A file that reads back bit for bit: .cpb, or .lcp and .blcp for an LCP."""
        error = self._lib.error()
        self._lib.check("ct_problem_write", self._lib.call.ct_problem_write(self._pointer, text(path, "path"), ctypes.byref(error)), error, str(path))

    @staticmethod
    def qp(A: Any, b: "ArrayLike", J: Any, w: "ArrayLike", *, equation: Optional["ArrayLike"] = None, x_ref: Optional["ArrayLike"] = None,
           r_ref: Optional["ArrayLike"] = None) -> "Problem":
        """min 1/2 x'A x - b'x with J x + w >= 0; rows whose `equation` is not 0: = 0."""
        return _from_arrays("QP", {"A": A, "J": J}, {"b": b, "w": w}, {"x_ref": x_ref, "r_ref": r_ref}, equation)

    @staticmethod
    def contacts(A: Any, b: "ArrayLike", J: Any, w: "ArrayLike", mu: "ArrayLike", *, x_ref: Optional["ArrayLike"] = None,
                 r_ref: Optional["ArrayLike"] = None) -> "Problem":
        """A x = b + J'r, u = J x + w with Coulomb's law; three rows a contact: normal, two tangents. mu: of each contact. (CT_PROBLEM_GLOBAL)"""
        return _from_arrays("GLOBAL", {"A": A, "J": J}, {"b": b, "w": w, "mu": mu}, {"x_ref": x_ref, "r_ref": r_ref})

    @staticmethod
    def local(W: Any, w: "ArrayLike", mu: "ArrayLike", *, x_ref: Optional["ArrayLike"] = None, r_ref: Optional["ArrayLike"] = None) -> "Problem":
        """u = W r + w with Coulomb's law."""
        return _from_arrays("LOCAL", {"W": W}, {"w": w, "mu": mu}, {"x_ref": x_ref, "r_ref": r_ref})

    @staticmethod
    def lcp(W: Any, w: "ArrayLike", lo: Optional["ArrayLike"] = None, hi: Optional["ArrayLike"] = None, *, x_ref: Optional["ArrayLike"] = None,
            r_ref: Optional["ArrayLike"] = None) -> "Problem":
        """u = W r + w >= 0, r >= 0 (or lo <= r <= hi), r'u = 0."""
        return _from_arrays("LCP", {"W": W}, {"w": w}, {"lo": lo, "hi": hi, "x_ref": x_ref, "r_ref": r_ref})

    # ---- what it is ----
    def arrays(self) -> Dict[str, Any]:
        """The matrices as CSR and the vectors, by the names above: A, b, J, w, mu, W, lo, hi, equation; copies."""
        d = self._lib.struct["ct_problem_desc"]()
        self._lib.check("ct_problem_get", self._lib.call.ct_problem_get(self._pointer, ctypes.byref(d)), self._lib.error())
        dynamic = self.kind in (_abi.ProblemKind.QP, _abi.ProblemKind.GLOBAL)
        found: Dict[str, Any] = {name: _matrix(getattr(d, name)) for name in (("A", "J") if dynamic else ("W",))}
        lengths = {"b": self.n, "w": self.m, "mu": self.contact_count, "lo": self.m, "hi": self.m}
        found.update({name: _doubles(getattr(d, name), n) for name, n in lengths.items() if getattr(d, name)})
        if d.equation:
            found["equation"] = np.frombuffer(ctypes.string_at(d.equation, self.m), np.uint8).astype(np.int32)
        return found

    # ---- solving ----
    def solve(self, solver: Union[_abi.Solver, str, int] = "auto", *, x: Optional["ArrayLike"] = None, r: Optional["ArrayLike"] = None,
              watch: Optional[Callable[..., Any]] = None, trace: Optional[Callable[[Solution], Any]] = None,
              **options: "Unpack[_abi.SolverArguments]") -> Solution:
        """One solve; options are fields of ct_solver_desc: tolerance (relative), seconds, budget, termination, ...

        x, r   both: the start
        watch  called with (iteration, x, r) at every iteration; False ends the solve
        trace  called with the judged Solution so far; False ends the solve
        """
        lib, callbacks = self._lib, Callbacks()
        desc = lib.call.ct_solver_desc_default()
        kinds = dict(type(desc)._fields_)
        fill(desc, dict(options), "solve")
        desc.solver = enum_of("ct_solver", solver, "solve: solver")
        desc.now_us = ctypes.cast(keeper().contact_keeper_now_us, kinds["now_us"])
        if watch is not None:
            desc.watch = callbacks.wrap(kinds["watch"], self._watch(watch) if callable(watch) else watch, 0, "solve: watch")
        if trace is not None:
            desc.trace = callbacks.wrap(kinds["trace"], self._trace(trace) if callable(trace) else trace, 0, "solve: trace")
        if (x is None) != (r is None):
            raise ArgumentError("solve: a start has both x and r")
        own = self.n > 0 and self.m > 0  # the library writes into arrays of these lengths, and frees those of none
        c = lib.struct["ct_solution"]()
        arrays = [np.zeros(self.n), np.zeros(self.m)]
        for array, value, what in zip(arrays, (x, r), "xr"):
            if value is not None:
                array[:] = numbers(value, "solve: " + what, (len(array),))
        if own:
            desc.warm = int(x is not None)
            c.n, c.m = self.n, self.m
            c.x, c.r = (a.ctypes.data for a in arrays)
        code = lib.call.ct_problem_solve(self._pointer, ctypes.byref(desc), ctypes.byref(c))
        if not own:
            arrays = [_doubles(pointer, n) for pointer, n in ((c.x, c.n), (c.r, c.m))]
            solution = Solution(c, *arrays) if not code else None
            lib.call.ct_solution_free(ctypes.byref(c))
        else:
            solution = Solution(c, *arrays) if not code else None
        callbacks.raise_kept()
        lib.check("ct_problem_solve", code, lib.error())
        assert solution is not None
        return solution

    def judge(self, r: "ArrayLike", *, tolerance: float = 1e-8) -> Solution:
        """The judge's numbers for multipliers of yours; x follows from them, as A x = b + J'r. Nothing is solved."""
        return self.solve("pgs", x=np.zeros(self.n), r=r, tolerance=tolerance, watch=lambda iteration, x, r: False)

    def _watch(self, f: Callable[..., Any]) -> Callable[..., int]:
        def watch(_user: Any, iteration: int, x: int, r: int) -> int:
            return int(f(iteration, _doubles(x, self.n), _doubles(r, self.m)) is not False)
        return watch

    def _trace(self, f: Callable[..., Any]) -> Callable[..., int]:
        def trace(_user: Any, so_far: int) -> int:
            c = self._lib.struct["ct_solution"].from_address(so_far)
            return int(f(Solution(c, _doubles(c.x, c.n), _doubles(c.r, c.m))) is not False)
        return trace


def _doubles(pointer: Any, n: int) -> Any:
    """A copy of C's numbers."""
    return np.frombuffer(ctypes.string_at(pointer, 8 * n)).copy() if pointer and n else np.zeros(0)


def _matrix(c: Any) -> cpb.CSR:
    """A copy of a ct_csr."""
    if not c.rows:
        return cpb.CSR(np.zeros(0), np.zeros(0, np.int32), np.zeros(1, np.int32), (0, c.cols))
    indptr = np.frombuffer(ctypes.string_at(c.p, 4 * (c.rows + 1)), np.int32).copy()
    n = int(indptr[-1])
    indices = np.frombuffer(ctypes.string_at(c.i, 4 * n), np.int32).copy() if n else np.zeros(0, np.int32)
    return cpb.CSR(_doubles(c.x, n), indices, indptr, (c.rows, c.cols))


def _create(function: str, argument: Any, culprit: str = "") -> Problem:
    lib = library()
    out, error = ctypes.c_void_p(), lib.error()
    lib.check(function, getattr(lib.call, function)(argument, ctypes.addressof(out), ctypes.byref(error)), error, culprit)
    assert out.value
    return Problem(out.value)


def _from_arrays(kind: str, matrices: Dict[str, Any], vectors: Dict[str, Any], optional: Dict[str, Any], equation: Any = None) -> Problem:
    lib, keep = library(), []  # type: Any, List[Any]
    desc = lib.call.ct_problem_desc_default()
    desc.kind = _abi.ProblemKind[kind]
    found = {name: cpb.csr(value, name) for name, value in matrices.items()}
    n = found["A"].shape[0] if "A" in found else found["W"].shape[0]
    m = found["J"].shape[0] if "J" in found else found["W"].shape[0]
    for name, matrix in found.items():
        c = getattr(desc, name)
        c.rows, c.cols = matrix.shape
        keep += [matrix]
        c.p, c.i, c.x = (at(array) if c.rows else None for array in (matrix.indptr, matrix.indices, matrix.data))
    lengths: Dict[str, int] = {"b": n, "mu": m // 3, "x_ref": n}
    for name, value in list(vectors.items()) + [(k, v) for k, v in optional.items() if v is not None]:
        point(desc, name, numbers(value, name, (lengths.get(name, m),)), keep)
    if equation is not None:
        rows = np.asarray(equation)
        rows = numbers(rows.astype(np.int64) if rows.dtype == bool else rows, "equation", (m,), np.int64)
        point(desc, "equation", (rows != 0).astype(np.uint8), keep)
    return _create("ct_problem_create", ctypes.byref(desc))
