"""clang-format has the last word on layout."""

import subprocess

import house

RULE = "code is as clang-format leaves it: clang-format -i --style=file FILE"


def check(tree):
    names = tree.named(*house.CODE)
    if not names:
        return []
    run = subprocess.run(["clang-format", "--dry-run", "--style=file", *names], cwd=tree.root,
                         check=True, capture_output=True, text=True)
    found = []
    for line in run.stderr.split("\n"):
        if "[-Wclang-format-violations]" in line:
            name, number, column, _ = line.split(":", 3)
            found.append(house.Violation(name, int(number), f"column {column} is not as formatted"))
    return found


STYLE = {".clang-format": "BasedOnStyle: Google\nColumnLimit: 100\n"}
BAD = (STYLE | {"a.cpp": "int  f( ) {return 1;}\n"},)
GOOD = (STYLE | {"a.cpp": "int f() { return 1; }\n"},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
