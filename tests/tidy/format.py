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
    places = [line.split(":")[:2] for line in run.stderr.split("\n")
              if "[-Wclang-format-violations]" in line]
    first = {name: int(number) for name, number in reversed(places)}
    return [house.Violation(name, number, "is not as formatted from here on")
            for name, number in sorted(first.items())]


STYLE = {".clang-format": "BasedOnStyle: Google\nColumnLimit: 100\n"}
BAD = (STYLE | {"a.cpp": "int  f( ) {return 1;}\n"},)
GOOD = (STYLE | {"a.cpp": "int f() { return 1; }\n"},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
