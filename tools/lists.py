"""lists.py -- the steppers and solvers of contact.h, as their lists in src/public/methods.h name them."""
import os
import re

METHODS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "public", "methods.h")


def names(kind):
    """kind STEPPER or SOLVER: what stands behind CT_kind_ in the rows of the list, in its order."""
    with open(METHODS) as f:
        found = re.findall(r"^ +X\(CT_%s_(\w+), \d+, \w+, CONTACT_WITH_\1[,)]" % kind, f.read(), re.M)
    assert found, "src/public/methods.h: no row of CT_%s_LIST looks as lists.py expects" % kind
    return found


STEPPERS = names("STEPPER")
SOLVERS = names("SOLVER")


def without(stepper=None, solver=None):
    """The flags of a build that leaves out all other steppers and solvers."""
    return ["-DCONTACT_WITH_%s=0" % name for name in SOLVERS + STEPPERS if name not in (stepper, solver)]
