"""contact -- contact.h in Python: deformable and rigid bodies in contact, with numpy.

    import contact
    world = contact.World()
    world.add_plane()
    jelly = world.add_soft(contact.Mesh.box((0.2, 0.2, 0.2), (3, 3, 3)), young=2e4, position=(0, 0.5, 0))
    for _ in range(100):
        report = world.step(0.01)
    print(report.status.name, jelly.positions.mean(axis=0))

Names and options are those of contact.h, whose text describes every field; docs/python.md has the rest.
"""
from __future__ import annotations

from . import ccd, cpb, kernels
from ._abi import (
    VERSION as __version__, Air, BarrierForm, BarrierKind, BroadPhase, ClusterMode, Code, Combine, Cone, ContactMaterial, DcdFriction, Decouple,
    ExplicitProgram, ExplicitRules, Filter, Friction, GeometricScheme, Hit, HitKind, Integrator, JointKind, JointState, LibraryInfo, LogLevel,
    Material, Model, Options, Outcome, Pair, PairKind, PenaltyDepth, PenaltyForm, PenaltyFriction, ProblemKind, Refine, Report, RestitutionLaw,
    RowMode, RungeKuttaReport, Solver, SolverOptions, Status, Stepper, Termination)
from ._body import Body, Joint
from ._errors import (
    ArgumentError, ClosedError, ContactError, DomainError, FileError, FormatError, MeshError, OutOfMemoryError, StaleIdError, UnsupportedError)
from ._info import defaults, filter_defaults, info, material, solver_defaults, text_of
from ._mesh import Mesh
from ._problem import Problem, Solution
from ._world import Drawing, Events, World
from .cpb import CSR

__all__ = [
    "Air", "ArgumentError", "BarrierForm", "BarrierKind", "Body", "BroadPhase", "CSR", "ClosedError", "ClusterMode", "Code", "Combine", "Cone",
    "ContactError", "ContactMaterial", "DcdFriction", "Decouple", "DomainError", "Drawing", "Events", "ExplicitProgram", "ExplicitRules", "FileError",
    "Filter", "FormatError", "Friction", "GeometricScheme", "Hit", "HitKind", "Integrator", "Joint", "JointKind", "JointState", "LibraryInfo",
    "LogLevel", "Material", "Mesh", "MeshError", "Model", "Options", "OutOfMemoryError", "Outcome", "Pair", "PairKind", "PenaltyDepth", "PenaltyForm",
    "PenaltyFriction", "Problem", "ProblemKind", "Refine", "Report", "RestitutionLaw", "RowMode", "RungeKuttaReport", "Solution", "Solver",
    "SolverOptions", "StaleIdError", "Status", "Stepper", "Termination", "UnsupportedError", "World", "__version__", "ccd", "cpb", "defaults",
    "filter_defaults", "info", "kernels", "material", "solver_defaults", "text_of"]
