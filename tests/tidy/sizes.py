"""Files, functions and lines stay small enough to be read."""

import ast
import re

import house

RULE = "files have at most 400 lines, functions 70, lines 100 characters"
FILE_LINES = 400
FUNCTION_LINES = 70
LINE_CHARACTERS = 100

LONG_LINES_IN = house.CODE + (".capnp", ".py", ".cmake", "CMakeLists.txt", ".toml")
# What opens a scope and not a body, after what may stand in front of it: macros, access labels.
SCOPE = re.compile(
    r"^(([A-Z][A-Z0-9_]+\([^()]*\)|(public|protected|private)\s*:)\s*)*"
    r"(template\s*<.*>\s*)?(\[\[.*?\]\]\s*)?(inline\s+)?"
    r"(namespace|class|struct|enum|union|extern)\b", re.DOTALL)


def long_lines(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith(".capnp"):
            # The schema language cannot break a string.
            line = re.sub(r'"[^"]*"', '""', line)
        if len(line) > LINE_CHARACTERS:
            yield house.Violation(name, number, f"the line has {len(line)} characters")


def blank_directives(code):
    """Preprocessor lines may hold unbalanced braces."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: "\n" * m.group(0).count("\n"), code,
                  flags=re.MULTILINE)


def cpp_functions(text):
    """(first line, last line) of each outermost function body; lambdas count to their function."""
    code = blank_directives(house.without_comments(text))
    scopes = []  # One entry per open brace: the head's first line of a function, or None.
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        mark, position = match.group(0), match.start()
        inside = any(scope is not None for scope in scopes)
        if mark == "{":
            head = code[head_start:position]
            function = not inside and not SCOPE.match(head.strip()) and (
                "(" in head or not head.strip())
            first = head_start + len(head) - len(head.lstrip())
            scopes.append(code.count("\n", 0, first) + 1 if function else None)
        elif mark == "}" and scopes:
            first = scopes.pop()
            if first is not None:
                yield first, code.count("\n", 0, position) + 1
        head_start = match.end()


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno


def long_functions(name, text):
    functions = python_functions(text) if name.endswith(".py") else cpp_functions(text)
    for first, last in functions:
        if last - first + 1 > FUNCTION_LINES:
            yield house.Violation(name, first, f"the function has {last - first + 1} lines")


def check(tree):
    found = []
    for name in tree.named(*LONG_LINES_IN):
        text = tree.text(name)
        lines = text.count("\n")
        if lines > FILE_LINES:
            found.append(house.Violation(name, lines, f"the file has {lines} lines"))
        found += long_lines(name, text)
        if name.endswith(house.CODE + (".py",)):
            found += long_functions(name, text)
    return found


LONG_BODY = "  work();\n" * 70
BAD = (
    {"a.cpp": "int i;\n" * 401},
    {"a.hpp": "// " + "x" * 98 + "\n"},
    {"a.capnp": "# " + "x" * 99 + "\n"},
    {"a.cpp": "void f() {\n" + LONG_BODY + "}\n"},
    {"a.cpp": "BOOST_AUTO_TEST_CASE(f) {\n" + LONG_BODY + "}\n"},
    {"a.cpp": "namespace a {\nclass B {\n  void f() const {\n" + LONG_BODY + "}\n};\n}\n"},
    {"a.cpp": "A::A() : b_{1} {\n" + LONG_BODY + "}\n"},
    {"a.cpp": "void f() {\n  run([] {\n" + LONG_BODY + "  });\n}\n"},
    {"a.py": "def f():\n" + "    work()\n" * 70},
)
GOOD = (
    {"a.cpp": "namespace a {\n" + "void f() {\n  g();\n}\n" * 30 + "}\n"},
    {"a.cpp": "constexpr int table[] = {\n" + "  1,\n" * 90 + "};\n"},
    {"a.cpp": "// {{{\n#define OPEN {\nconst char* s = \"}}{\";\n" + "void f() { g(); }\n" * 90},
    {"a.cpp": "ALLOW(a::B)\n\nnamespace a {\n" + "void f() { g(); }\n" * 90 + "}\n"},
    {"a.hpp": "class A {\n public:\n  struct alignas(64) B {\n" + "void f() {}\n" * 90 + "};};\n"},
    {"a.capnp": 'a @0 :Text $doc("' + "x" * 120 + '");\n'},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
