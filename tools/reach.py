"""reach.py -- which functions of the implementation the API reaches, and with which CONTACT_WITH_ switches. Used by amalgamate.py.

Method: the text is cut into chunks of file scope: functions, prototypes, tables, types, macros. A chunk reaches every chunk whose name occurs in
it; a use inside #if CONTACT_WITH_A needs A, too. The condition of a chunk is the OR over all chains of uses from a public function, of the AND along
the chain. Conditions are sets of sets of switches: {{A}, {B, C}} is A || (B && C), {{}} is always, {} is never. Other conditions (#else,
other macros, comparisons) count as always. So a condition is never too narrow, unless a name is pasted together in a way that
`expand` does not know; then the compiler misses a function, or this file finds one that nothing reaches.
"""
import functools
import re

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|&&|\|\||##|[=!<>]=|\S")
WORD = re.compile(r"[A-Za-z_]\w*$")
DIRECTIVE = re.compile(r"\s*#\s*(\w+)(.*)", re.S)
ALWAYS = frozenset([frozenset()])
NEVER = frozenset()


SWITCH = "CONTACT_WITH_"
LIST = re.compile(r"C\w+_LIST\w*$")
STEPPER_LIST = "CT_STEPPER_LIST"
STEPPERS = []  # the switches in that list: one of them is always 1


@functools.lru_cache(maxsize=None)
def simplified(condition, steppers):
    """The condition without terms that another one implies. Few conditions are asked for millions of times."""
    terms = set(condition)
    for t in condition:
        rest = t - {steppers[0]} if steppers else t
        if rest != t and all(rest | {s} in terms for s in steppers):
            terms.add(rest)
    return frozenset(t for t in terms if not any(u < t for u in terms))


def either(a, b):
    return simplified(a | b, tuple(STEPPERS))


@functools.lru_cache(maxsize=None)
def product(a, b):
    return frozenset(t | u for t in a for u in b)


def both(a, b):
    return simplified(product(a, b), tuple(STEPPERS))


class Condition:
    """An #if expression as a condition: switches, && and ||, parentheses, macros that stand for such; anything else is always."""
    def __init__(self, text, macros):
        self.tokens, self.macros = TOKEN.findall(text), macros

    def parse(self):
        value = self.any_of()
        return value if not self.tokens else ALWAYS

    def any_of(self):
        value = self.all_of()
        while self.tokens[:1] == ["||"]:
            self.tokens.pop(0)
            value = either(value, self.all_of())
        return value

    def all_of(self):
        value = self.one()
        while self.tokens[:1] == ["&&"]:
            self.tokens.pop(0)
            value = both(value, self.one())
        return value

    def one(self):
        rest = self.tokens
        if rest[:1] == ["("]:
            rest.pop(0)
            value = self.any_of()
            return value if rest and rest.pop(0) == ")" else ALWAYS
        word = rest.pop(0) if rest else ""
        if word.startswith(SWITCH):
            return frozenset([frozenset([word])])
        if word == "0" and rest[:1] in ([], ["||"], ["&&"], [")"]):
            return NEVER
        if word in self.macros:
            return Condition(self.macros[word], self.macros).parse()
        while rest and rest[0] not in ("&&", "||", ")"):  # a comparison, defined(x), !x
            self.tokens.pop(0)
            if word == "defined" or rest[:1] == ["("]:
                while rest and rest.pop(0) != ")":
                    pass
        return ALWAYS


class Chunk:
    """kind: function, prototype, table, type, macro or other. names: what it declares. uses: (name, condition of the line). first to last: its
    lines, the comment in front of it included. level: the stack of #if that it stands in, under: what they ask for."""
    def __init__(self, kind, names, uses, first, last, level, under):
        self.kind, self.names, self.uses = kind, names, uses
        self.first, self.last, self.level, self.under = first, last, level, under
        self.condition = NEVER
        self.ends = ()  # of an #undef: the definitions


def expand(macros, tokens):
    """tokens with every call of a macro that pastes its arguments replaced by the resulting name, which tells instances of templates apart."""
    if macros.keys().isdisjoint(tokens):
        return list(tokens)
    out, i = [], 0
    while i < len(tokens):
        parameters, body = macros.get(tokens[i], (None, None))
        if parameters and tokens[i + 1:i + 2] == ["("] and ")" in tokens[i:]:
            close = tokens.index(")", i)
            arguments = "".join(tokens[i + 2:close]).split(",")
            if len(arguments) == len(parameters):
                out.append("".join(arguments[parameters.index(p)] if p in parameters else p for p in body))
                i = close + 1
                continue
        out.append(tokens[i])
        i += 1
    return out


class Lists:
    """Lists of rows, X-macros: `#define CT_SOLVER_LIST(X) X(...) X(...)`, of the public part and of the implementation."""
    def __init__(self):
        self.lists, self.functions = {}, {}  # name -> rows, each a list of arguments, or the name of a list; name -> (parameters, tokens)

    def define(self, name, parameters, body):
        tokens = TOKEN.findall(body)
        self.functions[name] = (parameters, tokens)
        if LIST.match(name) and len(parameters) == 1:
            self.lists[name] = [rest.split("(", 1) for rest in " ".join(tokens).split(")") if "(" in rest]
        if name == STEPPER_LIST:
            STEPPERS[:] = [t for t in tokens if t.startswith(SWITCH)]

    def rows(self, name):
        out = []
        for head, arguments in self.lists[name]:
            out += self.rows(head.strip()) if head.strip() in self.lists else [[a.strip() for a in arguments.split(",")]]
        return out

    def expand(self, tokens):
        """(token, condition) of each token, with LIST(F) expanded: F of every row, under the row's switch."""
        if self.lists.keys().isdisjoint(tokens):
            return [(t, ALWAYS) for t in tokens]
        out, i = [], 0
        while i < len(tokens):
            called = tokens[i + 2] if tokens[i] in self.lists and tokens[i + 1:i + 2] == ["("] and tokens[i + 3:i + 4] == [")"] else None
            if called not in self.functions:
                out.append((tokens[i], ALWAYS))
                i += 1
                continue
            for row in self.rows(tokens[i]):
                needs = frozenset([frozenset(a for a in row if a.startswith(SWITCH))])
                out += [(t, needs) for t in self.put(self.functions[called], row)]
            i += 4
        return out

    @staticmethod
    def put(function, row):
        """The tokens of F(row), pasted."""
        parameters, body = function
        given, out = dict(zip(parameters, row)), []
        for t in body:
            t = given.get(t, t)
            if out and out[-1] == "##":
                out[-2:] = [out[-2] + t]
            else:
                out.append(t)
        return out


def without_attributes(tokens):
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] == "__attribute__":
            depth, i = 0, i + 1
            while i < len(tokens):
                depth += (tokens[i] == "(") - (tokens[i] == ")")
                i += 1
                if depth == 0:
                    break
            continue
        out.append(tokens[i])
        i += 1
    return out


def declared(tokens):
    """(kind, names) of a chunk's tokens."""
    brace = tokens.index("{") if "{" in tokens else len(tokens)
    equals = tokens.index("=") if "=" in tokens else len(tokens)
    head = without_attributes(tokens[:min(brace, equals)])
    if head[:1] in (["typedef"], ["struct"], ["enum"], ["union"]) and equals >= brace:
        inside = [t for t in tokens[brace:] if WORD.match(t)] if "enum" in head[:2] else []
        tail = head if brace == len(tokens) else tokens[len(tokens) - tokens[::-1].index("}"):]
        return "type", [t for t in head[1:] + tail if WORD.match(t)] + inside
    if equals < brace or "(" not in head:
        head = head[:head.index("[")] if "[" in head else head
        words = [t for t in head if WORD.match(t)]
        return "table", words[-1:]
    name = head[head.index("(") - 1]
    return ("function" if brace < len(tokens) else "prototype"), [name]


class Reader:
    """Cuts lines into chunks. raw: the lines, plain: the same without comments and strings."""
    def __init__(self, raw, plain, lists):
        self.raw, self.plain, self.lists = raw, plain, lists
        self.chunks, self.pasting, self.values, self.macros = [], {}, {}, {}
        self.stack, self.level_count, self.now = [], 0, ALWAYS
        self.tokens, self.first, self.depth = [], 0, 0

    def level(self):
        return tuple(number for _, number in self.stack)

    def directive(self, text, first, last):
        word, rest = DIRECTIVE.match(text).groups()
        if word in ("if", "ifdef", "ifndef"):
            self.level_count += 1
            self.stack.append((Condition(rest, self.values).parse() if word == "if" else ALWAYS, self.level_count))
        elif word in ("else", "elif") and self.stack:
            self.level_count += 1
            self.stack[-1] = (ALWAYS, self.level_count)
        elif word == "endif" and self.stack:
            self.stack.pop()
        self.now = ALWAYS
        for condition, _ in self.stack:
            self.now = both(self.now, condition)
        if word == "define":
            self.define(rest, first, last)
        elif word == "undef":
            self.chunks.append(Chunk("macro", [], [], first, last, self.level(), self.now))
            self.chunks[-1].ends = self.macros.pop(rest.strip(), ())
        elif self.depth == 0 and not self.tokens:
            names = [(self.meant(t), ALWAYS) for t in TOKEN.findall(rest) if WORD.match(t)] if word in ("if", "elif", "ifdef") else []
            self.chunks.append(Chunk("directive", [], names, first, last, None, ALWAYS))

    def define(self, rest, first, last):
        name, _, parameters, body = re.match(r"\s*(\w+)(\(([^)]*)\))?(.*)", rest, re.S).groups()
        parts = [p.strip() for p in body.split("##")]
        self.pasting.pop(name, None)
        if parameters is not None and len(parts) > 1 and all(re.match(r"\w+$", p) for p in parts):
            self.pasting[name] = ([p.strip() for p in parameters.split(",")], parts)
        if parameters is None:
            self.values[name] = " ".join(t for t, _ in self.lists.expand(TOKEN.findall(body)))
        else:
            self.lists.define(name, [p.strip() for p in parameters.split(",")], body)
        uses = [(self.meant(t), self.now) for t in expand(self.pasting, TOKEN.findall(body)) if WORD.match(t)]
        self.chunks.append(Chunk("macro", [name], uses, first, last, self.level(), self.now))
        self.macros.setdefault(name, []).append(self.chunks[-1])

    def meant(self, name):
        """The definitions of a macro that are there now: templates define the same ones anew for each instance. Other names stand for themselves."""
        return tuple(self.macros[name]) if name in self.macros else name

    def close(self, last):
        """A whole chunk has been read. A comment that begins behind it on its last line belongs to it, to its end."""
        begun = self.raw[last].rfind("/*") > self.raw[last].rfind("*/")
        while begun and last + 1 < len(self.raw):
            last += 1
            begun = "*/" not in self.raw[last]
        names = expand(self.pasting, [t for t, _ in self.tokens])
        kind, declares = declared(names)
        uses = {}
        for condition in set(c for _, c in self.tokens):
            used = self.lists.expand(expand(self.pasting, [t for t, c in self.tokens if c == condition]))
            for t, needs in dict.fromkeys(used):
                if WORD.match(t):
                    meant = self.meant(t)
                    uses[meant] = either(uses.get(meant, NEVER), both(condition, needs))
        first, least = self.first, self.chunks[-1].last + 1 if self.chunks else 0
        while first > least and not self.plain[first - 1].strip() and self.raw[first - 1].strip() and not self.raw[first - 1].startswith("/* ----"):
            first -= 1
        self.chunks.append(Chunk(kind, declares, list(uses.items()), first, last, self.level(), self.now))
        self.tokens = []

    def calls(self):
        """Calls of macros at file scope that make functions, without a semicolon behind: their names are not known, they stay as they are."""
        if self.depth == 0 and self.tokens and self.tokens[-1][0] == ")" and self.tokens[0][0].isupper():
            uses = [(self.meant(t), c) for t, c in self.tokens if WORD.match(t)]
            self.chunks.append(Chunk("directive", [], uses, self.first, self.first, None, ALWAYS))
            self.tokens = []

    def take(self, token, line):
        if not self.tokens:
            self.first = line
        self.tokens.append((token, self.now))
        if token not in ("{", "}", ";"):
            return
        self.depth += (token == "{") - (token == "}")
        if self.depth < 0 or token == "{" and [t for t, _ in self.tokens[:3]] == ["extern", '"', '"']:  # extern "C" { and its end
            self.tokens, self.depth = [], 0
        elif self.depth == 0 and token == ";":
            self.close(line)
        elif self.depth == 0 and token == "}" and declared(expand(self.pasting, [t for t, _ in self.tokens]))[0] == "function":
            self.close(line)

    def read(self):
        i = 0
        while i < len(self.plain):
            first, text = i, self.plain[i]
            if text.lstrip().startswith("#"):
                while text.rstrip().endswith("\\") and i + 1 < len(self.plain):
                    i += 1
                    text = text.rstrip()[:-1] + " " + self.plain[i]
                while i + 1 < len(self.plain) and not self.plain[i + 1].strip() and "*/" in self.raw[i + 1] and "/*" not in self.raw[i + 1]:
                    i += 1  # the end of its comment
                self.calls()
                self.directive(text, first, i)
            elif text.startswith("@"):  # a line that amalgamate.py replaces
                self.chunks.append(Chunk("directive", [], [], i, i, None, ALWAYS))
            else:
                for token in TOKEN.findall(text):
                    self.take(token, i)
            i += 1
        return self.chunks


def reach(raw, plain, public):
    """The chunks of the lines with their conditions. Roots are public functions, and what #if asks for. public: the lines in front, for
    their lists."""
    lists = Lists()
    for text in re.sub(r"\\\n", " ", "\n".join(public)).split("\n"):
        m = re.match(r"\s*#\s*define\s+(\w+)\((\w+)\)(.*)", text)
        if m and LIST.match(m.group(1)):
            lists.define(m.group(1), [m.group(2)], m.group(3))
    chunks = Reader(raw, plain, lists).read()
    named = {}
    for c in chunks:
        for name in c.names:
            named.setdefault(name, []).append(c)
    todo = [c for c in chunks if c.kind == "directive" or (c.kind == "function" and c.names[0].startswith("ct_"))]
    for c in todo:
        c.condition = ALWAYS
    while todo:
        c = todo.pop()
        for name, needs in c.uses:
            for other in (name if isinstance(name, tuple) else named.get(name, ())):
                if other.condition == ALWAYS:
                    continue
                value = either(other.condition, both(c.condition, needs))
                if value != other.condition:
                    other.condition = value
                    todo.append(other)
    for c in chunks:
        for macro in c.ends:
            c.condition = either(c.condition, macro.condition)
    return chunks


def text_of(condition):
    """As C has it; terms of a switch and a stepper are gathered: A && B || A && C is A && (B || C)."""
    said = sorted(" && ".join(sorted(t)) for t in condition if len(t) == 1 or not t & set(STEPPERS))
    for stepper in STEPPERS:
        terms = sorted(" && ".join(sorted(t - {stepper})) for t in condition if len(t) > 1 and stepper in t)
        if terms:
            said.append("(%s && (%s))" % (stepper, " || ".join(terms)))
    return " || ".join(said)


def guards(chunks):
    """(first line, last line, condition as text) of all runs of chunks that need a guard."""
    runs = []
    open_run = None  # chunk that the run began with
    for c in chunks:
        needs = c.kind != "directive" and c.condition and either(c.condition, c.under) != c.condition
        if open_run and needs and c.condition == open_run.condition and c.level == open_run.level:
            runs[-1][1] = c.last
        elif needs:
            open_run = c
            runs.append([c.first, c.last, text_of(c.condition)])
        else:
            open_run = None
    return runs


def unreached(chunks):
    """Functions and prototypes that nothing public reaches."""
    return [c for c in chunks if c.kind in ("function", "prototype") and not c.condition]
