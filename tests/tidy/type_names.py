"""A name in a namespace means one type."""

import re

import house

RULE = "no two headers of the product define types of one name in one namespace"

# In a statement that a brace follows; a name with `<` behind it is a specialisation.
DEFINITION = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[.*?\]\]\s*|alignas\(.*?\)\s*)*"
    r"(\w+)\s*(?:final\s*)?(?::(?!:).*)?$", flags=re.DOTALL)
ALIAS = re.compile(r"^\s*using\s+(\w+)\s*=")
NAMESPACE = re.compile(r"\bnamespace\s+([\w:]*)\s*$")
TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<[^<>]*>)*>")


def types(source):
    """(qualified name, line) of every type that C++ `source` defines at namespace scope."""
    code = re.sub(r"^\s*#.*(?:\\\n.*)*", "", house.without_comments(source), flags=re.MULTILINE)
    code = TEMPLATE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), code)
    scopes = []  # Of each open brace: the namespace's name, None for anything else.
    begin = 0  # Of the present statement.
    for match in re.finditer(r"[{};]", code):
        statement = code[begin:match.start()]
        begin = match.end()
        if match.group() == "}":
            if scopes:
                scopes.pop()
            continue
        inside = None not in scopes
        named = NAMESPACE.search(statement)
        found = (ALIAS if match.group() == ";" else DEFINITION).search(statement)
        if inside and found and not named:
            line = code.count("\n", 0, match.start() - len(statement) + found.start(1)) + 1
            yield "::".join([*filter(None, scopes), found.group(1)]), line
        if match.group() == "{":
            scopes.append(named.group(1) if named and inside else None)


def check(tree):
    found = []
    first = {}
    for name in tree.named(".hpp"):
        if name.startswith("tests/"):
            continue
        for qualified, line in types(tree.text(name)):
            other = first.setdefault(qualified, f"{name}:{line}")
            if other != f"{name}:{line}":
                found.append(house.Violation(name, line, f"{qualified} is defined in {other} too"))
    return found


A = "namespace slime::runtime {\ntemplate <class T>\nclass A final : public B<T> {\n};\n}\n"
BAD = (
    {"runtime/a.hpp": A, "runtime/b.hpp": A},
    {"runtime/a.hpp": A, "storage/b.hpp": "namespace slime {\nnamespace runtime {\n"
                                          "enum class A : int { one };\n}\n}\n"},
    {"runtime/a.hpp": A, "runtime/b.hpp": "namespace slime::runtime { using A = int; }\n"},
    {"a.hpp": "inline void f() { g(); }\nstruct [[nodiscard]] S\n{ int i = 0; };\n",
     "b.hpp": "struct S { int i; };\n"},
)
GOOD = (
    {"runtime/a.hpp": A, "storage/b.hpp": "namespace slime::storage {\nclass A {};\n}\n"},
    {"runtime/a.hpp": A, "runtime/b.hpp": "namespace slime::runtime {\nclass A;\n"
                                          "class B {\n struct A {};\n};\n"
                                          "inline void f() { struct A {}; }\n}\n"},
    {"runtime/a.hpp": A, "tests/b.hpp": A},
    {"a.hpp": "template <class A>\nvoid f() {}\ntemplate <class A>\nvoid g() {}\n"},
    {"a.hpp": "template <>\nstruct std::hash<A> {};\n",
     "b.hpp": "template <>\nstruct std::hash<B> {};\n"},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
