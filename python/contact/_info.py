"""_info.py -- what this build has, and defaults."""
from __future__ import annotations

from typing import Any, List, Union

from . import _abi
from ._abi import Filter, LibraryInfo, Material, Options, SolverOptions
from ._library import library
from ._record import enum_of

TEXTS = {"Code": "ct_code_text", "Status": "ct_status_text", "Stepper": "ct_stepper_text", "Solver": "ct_solver_text",
         "Integrator": "ct_integrator_text", "Outcome": "ct_outcome_text"}


class Info(LibraryInfo):
    """What was compiled in."""
    __slots__ = ()

    @property
    def built_steppers(self) -> List[str]:
        return [s.name.lower() for s in _abi.Stepper if library(self._real).call.ct_stepper_built(s)]

    @property
    def built_solvers(self) -> List[str]:
        """Of worlds."""
        return [s.name.lower() for s in _abi.Solver if library(self._real).call.ct_solver_built(s)]

    @property
    def built_problem_solvers(self) -> List[str]:
        return [s.name.lower() for s in _abi.Solver if library(self._real).call.ct_problem_solver_built(s)]


def info(real: int = 64) -> Info:
    """Version, precision, SIMD, threads, steppers and solvers of this build."""
    return Info(library(real).call.ct_library_info_get().contents, real)


def text_of(value: Any) -> str:
    """The library's name of a Code, Status, Stepper, Solver, Integrator or Outcome, as scene files spell it."""
    name = TEXTS.get(type(value).__name__)
    if name is None:
        raise TypeError("text_of: a constant of %s is expected, not %r" % (", ".join(TEXTS), value))
    return str(getattr(library().call, name)(int(value)).decode())


def defaults(stepper: Union[_abi.Stepper, str, None] = None, *, game: bool = False, real: int = 64) -> Options:
    """The options that World begins with."""
    call = library(real).call
    if stepper is not None:
        return Options(call.ct_world_desc_default_for(enum_of("ct_stepper", stepper, "defaults: stepper")), real)
    return Options(call.ct_world_desc_default_game() if game else call.ct_world_desc_default(), real)


def filter_defaults(real: int = 64) -> Filter:
    """Of a body that meets everything."""
    return Filter(library(real).call.ct_filter_default(), real)


def solver_defaults(real: int = 64) -> SolverOptions:
    return SolverOptions(library(real).call.ct_solver_desc_default(), real)


def material(model: Union[_abi.Model, str] = "corotational", *, real: int = 64, **fields: Any) -> Material:
    """A material with the defaults of its model, and what is given."""
    from ._options import fill
    c = library(real).call.ct_material_default(enum_of("ct_model", model, "material: model"))
    fill(c, fields, "material")
    return Material(c, real)
