#!/usr/bin/env python3
"""generate.py -- the declarations of contact.h as Python tables: enumerations, structs, functions, and types for type checkers.

usage: python3 generate.py CONTACT_H OUT.py        CC: the preprocessor (cc); needs pycparser
The binding is made from these tables each time that it is built, so they cannot differ from the header. Nothing here knows a struct by name, but for
the lists at the top, which give the public classes their names. The grammar of a type in the tables: `int`, `ct_real`, `char*`, `struct NAME`,
`enum NAME`, each followed by dimensions as in `ct_real[2][3]`; `*` before a type is a pointer to it, `* opaque` one to what only C reads,
`fn RETURN (ARGUMENT, ...)` a pointer to a function.
"""
import os
import subprocess
import sys
import tempfile

from pycparser import c_ast, c_parser

# public names of results, and of sets of options (keyword arguments)
RECORDS = {"ct_step_report": "Report", "ct_rk_report": "RungeKuttaReport", "ct_pair": "Pair", "ct_hit": "Hit", "ct_material": "Material",
           "ct_filter": "Filter", "ct_air": "Air", "ct_contact_material": "ContactMaterial", "ct_joint_state": "JointState",
           "ct_library_info": "LibraryInfo", "ct_world_desc": "Options", "ct_solver_desc": "SolverOptions", "ct_dcd_desc": "DcdOptions",
           "ct_barrier_desc": "BarrierOptions", "ct_layers_desc": "LayersOptions", "ct_geometric_desc": "GeometricOptions",
           "ct_penalty_desc": "PenaltyOptions", "ct_explicit_desc": "ExplicitOptions"}
ARGUMENTS = {"ct_world_desc": "WorldArguments", "ct_solver_desc": "SolverArguments", "ct_soft_desc": "SoftArguments",
             "ct_cloth_desc": "ClothArguments", "ct_rod_desc": "RodArguments", "ct_points_desc": "PointsArguments",
             "ct_rigid_desc": "RigidArguments", "ct_static_desc": "StaticArguments", "ct_kinematic_desc": "KinematicArguments",
             "ct_joint_desc": "JointArguments", "ct_motion": "MotionArguments", "ct_draw": "DrawArguments"}
# the binding's own: set by its functions, never by a user's keyword
HIDDEN = {"cookie", "allocator", "tasks", "mesh", "surface", "name", "now_us", "segments", "n_segments", "keyframes", "n_keyframes", "masses",
          "kind", "warm", "a", "b"}
FAKE_HEADERS = {"stddef.h": "typedef unsigned long size_t;\n#define NULL ((void *)0)\n",
                "stdint.h": "".join("typedef %s %s_t;\n" % (c, n) for n, c in (
                    ("int8", "signed char"), ("uint8", "unsigned char"), ("int32", "int"), ("uint32", "unsigned"), ("int64", "long long"),
                    ("uint64", "unsigned long long")))}
# of one struct alone: arguments of their own
OWN = {"ct_world_desc": {"stepper"}, "ct_solver_desc": {"solver", "watch", "trace"}, "ct_draw": {"triangle", "line", "point"}}


def preprocessed(header, *options):
    """The header as the compiler's preprocessor leaves it; the system's ones are replaced by the few names that it uses."""
    with tempfile.TemporaryDirectory() as fake:
        for name, text in FAKE_HEADERS.items():
            with open(os.path.join(fake, name), "w") as f:
                f.write(text)
        command = os.environ.get("CC", "cc").split() + ["-E", "-P", "-nostdinc", "-I", fake, "-x", "c", *options, header]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def value_of(node, known):
    """An integer constant expression."""
    if isinstance(node, c_ast.Constant):
        return int(node.value.rstrip("uUlL"), 0)
    if isinstance(node, c_ast.ID):
        return known[node.name]
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        return -value_of(node.expr, known)
    raise SystemExit("generate.py: a constant that it does not understand: %s" % type(node).__name__)


class Header:
    """What a header declares: enums {name: {constant: value}}, structs {name: [(field, type)]}, functions {name: (type, [(argument, type)])}."""

    def __init__(self, text):
        self.enums, self.structs, self.functions, self.named, self.constants = {}, {}, {}, {}, {}
        for item in c_parser.CParser().parse(text).ext:
            if isinstance(item, c_ast.Typedef):
                self.named[item.name] = item.type
                self.define(item.name, item.type)
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
                self.functions[item.name] = (self.type_of(item.type.type), self.arguments(item.type))
            elif isinstance(item, c_ast.Decl):
                self.define("", item)

    def define(self, name, node):
        inner = getattr(node, "type", node)
        if isinstance(inner, c_ast.Enum) and inner.values:
            values, following = {}, 0
            for e in inner.values.enumerators:
                following = value_of(e.value, self.constants) if e.value else following
                self.constants[e.name] = values[e.name] = following
                following += 1
            self.enums[name or inner.values.enumerators[0].name] = values
        elif isinstance(inner, c_ast.Struct) and inner.decls:
            self.structs[name] = [(d.name, self.type_of(d.type)) for d in inner.decls]

    def arguments(self, node):
        """An array argument is a pointer; `void` alone is none."""
        params = node.args.params if node.args else []
        found = [(p.name, self.type_of(p.type).replace("[", "*[", 1)) for p in params]
        return [(name, "*" + t.split("*[")[0] if "*[" in t else t) for name, t in found if t != "void"]

    def base_of(self, names):
        """A named type: itself where the tables know it, else what it is short for."""
        name = " ".join(names)
        if name in self.enums:
            return "enum " + name
        if name in self.structs:
            return "struct " + name
        if name in FUNDAMENTAL:
            return name
        node = self.named.get(name)
        if node is None:
            raise SystemExit("generate.py: unknown type %s" % name)
        return self.type_of(node)

    def type_of(self, node):
        if isinstance(node, c_ast.ArrayDecl):
            inner = self.type_of(node.type)
            base, _, rest = inner.partition("[")
            return "%s[%d]%s" % (base, value_of(node.dim, self.constants), "[" + rest if rest else "")
        if isinstance(node, c_ast.PtrDecl):
            inner = self.type_of(node.type)
            if inner.startswith("fn "):
                return inner
            return {"char": "char*", "opaque": "* opaque", "void": "* opaque"}.get(inner, "*" + inner)
        if isinstance(node, c_ast.FuncDecl):
            found = [t for _, t in self.arguments(node)]
            return "fn %s (%s)" % (self.type_of(node.type), ", ".join("* opaque" if t.startswith("fn ") else t for t in found))
        if isinstance(node.type, c_ast.IdentifierType):
            return self.base_of(node.type.names)
        name = getattr(node.type, "name", None)
        return "struct " + name if name in self.structs or name == "ct_solution" else "opaque"


FUNDAMENTAL = {"int", "double", "float", "char", "void", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uint8_t", "ct_real"}


def class_name(enum):
    return "".join(word.capitalize() for word in enum.replace("ct_", "", 1).split("_"))


def short_names(values):
    """Constants of an enumeration without the prefix that they share: CT_STEPPER_CMR is CMR. What counts them (COUNT_) is left out."""
    names = [n for n in values if not n.endswith("_COUNT_")]
    words = [n.split("_") for n in names]
    shared = 0
    while all(len(w) > shared + 1 and w[shared] == words[0][shared] for w in words):
        shared += 1
    return {"_".join(w[shared:]): values[n] for n, w in zip(names, words)}


def python_type(t, records, given):
    """The annotation of a field: as it is read (given False), or what an option takes (True)."""
    if t.startswith("fn "):
        return "Optional[Callable[..., Any]]"
    if "[" in t and t != "char[240]":
        return "ArrayLike" if given else "NDArray[Any]"
    if t.startswith("enum "):
        return ("Union[%s, str, int]" if given else "%s") % class_name(t[5:])
    if t in ("struct ct_body_id", "struct ct_joint_id"):
        return "Tuple[int, int]"
    if t.startswith("struct "):
        return "Any" if given else records.get(t[7:], "Any")
    if t == "char*" or t.startswith("char["):
        return "str"
    return "float" if t in ("double", "float", "ct_real") else "int" if t in FUNDAMENTAL else "Any"


def write_classes(out, header):
    for enum, values in header.enums.items():
        names = short_names(values)
        if not enum.startswith("ct_"):
            continue
        out.append("\n\nclass %s(enum.IntEnum):\n    \"\"\"%s of contact.h.\"\"\"" % (class_name(enum), enum))
        out += ["    %s = %d" % (n, v) for n, v in names.items()]
    for struct, name in RECORDS.items():
        out.append("\n\nclass %s(Record):\n    \"\"\"%s of contact.h, where every field is described.\"\"\"\n    __slots__ = ()\n    _struct = %r"
                   % (name, struct, struct))
        fields = [(f, t) for f, t in header.structs[struct] if f != "cookie" and not f.endswith("user") and t != "* opaque"]
        out += ["    if TYPE_CHECKING:"] + ["        %s: %s" % (f, python_type(t, RECORDS, False)) for f, t in fields]
    for struct, name in ARGUMENTS.items():
        out.append("\n\nclass %s(TypedDict, total=False):\n    \"\"\"Fields of %s in contact.h, as keyword arguments.\"\"\"" % (name, struct))
        fields = list(header.structs[struct])
        if ("material", "struct ct_material") in fields:  # whose fields may stand among those of the body
            fields += [f for f in header.structs["ct_material"] if f[0] not in dict(fields)]
        out += ["    %s: %s" % (f, python_type(t, RECORDS, True)) for f, t in fields
                if f not in HIDDEN | OWN.get(struct, set()) and not f.endswith("user") and t != "* opaque"]


def generate(path):
    version = next(line.split('"')[1] for line in preprocessed(path, "-dM").splitlines() if line.startswith("#define CT_VERSION_STRING"))
    header = Header(preprocessed(path))
    out = ['"""_abi.py -- the declarations of contact.h %s, made by python/generate.py; do not edit."""' % version,
           "from __future__ import annotations", "", "import enum",
           "from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, TypedDict, Union", "", "from ._record import Record", "",
           "if TYPE_CHECKING:", "    from numpy.typing import ArrayLike, NDArray", "", "VERSION = %r" % version]
    write_classes(out, header)
    out.append("\n\nENUMS = {")
    out += ["    %r: %s," % (e, class_name(e)) for e in header.enums if e.startswith("ct_")]
    out.append("}\nRECORDS = {")
    out += ["    %r: %s," % pair for pair in RECORDS.items()]
    out.append("}\nSTRUCTS = {")
    for name, fields in header.structs.items():
        out += ["    %r: [" % name] + ["        (%r, %r)," % f for f in fields] + ["    ],"]
    out.append("}\nFUNCTIONS = {")
    for name, (result, arguments) in header.functions.items():
        out += ["    %r: (%r, [%s])," % (name, result, ", ".join(repr(t) for _, t in arguments))]
    return "\n".join(out) + "\n}\n"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.split("\n\n")[1])
    text = generate(sys.argv[1])
    with open(sys.argv[2], "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
