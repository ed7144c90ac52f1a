"""Every source file has its test in the mirrored place, and the build knows of it."""

import pathlib
import re

import house

RULE = "tests/<path>/<file>_test.cpp tests <path>/<file>.cpp, in a suite of its name"

# Plain lists are tested by the suite that runs over all their entries; say which.
EXEMPT = {}


def is_program(tree, name):
    return re.search(r"^int main\(", tree.text(name), flags=re.MULTILINE) is not None


def check(tree, exempt=()):
    found = [house.Violation(name, 0, "exempt from a mirrored test, but gone: drop the exemption")
             for name in exempt if not tree.has(name)]
    for name in tree.named(".cpp"):
        if name.startswith("tests/") or name in exempt or is_program(tree, name):
            continue
        path = pathlib.PurePosixPath(name)
        test = f"tests/{path.parent}/{path.stem}_test.cpp"
        if not tree.has(test):
            found.append(house.Violation(name, 0, f"has no test {test}"))
    for name in tree.named("_test.cpp"):
        path = pathlib.PurePosixPath(name)
        if f"BOOST_AUTO_TEST_SUITE({path.stem}" not in tree.text(name).replace(" ", ""):
            found.append(house.Violation(name, 0, f"its suite is not called {path.stem}"))
        lists = [f"{folder}/CMakeLists.txt" for folder in path.parents if str(folder) != "."]
        if not any(tree.has(built) and f"{path.stem}.cpp" in tree.text(built) for built in lists):
            found.append(house.Violation(name, 0, "no CMakeLists.txt of its folder builds it"))
    return found


SUITE = "BOOST_AUTO_TEST_SUITE(a_test)\n"
BAD = (
    {"trainer/a.cpp": "int f();\n"},
    {"trainer/a.cpp": "", "tests/trainer/a_test.cpp": SUITE},
    {"trainer/a.cpp": "", "tests/trainer/a_test.cpp": "BOOST_AUTO_TEST_SUITE(other)\n",
     "tests/trainer/CMakeLists.txt": "a_test.cpp"},
    {"trainer/a.cpp": "", "tests/a_test.cpp": SUITE, "tests/CMakeLists.txt": "a_test.cpp"},
)
GOOD = (
    {"trainer/a.cpp": "", "tests/trainer/a_test.cpp": SUITE,
     "tests/trainer/CMakeLists.txt": "slime_test(trainer_test SOURCES a_test.cpp)"},
    {"tools/slime/main.cpp": "int main(int argc, char** argv) {}\n"},
)

if __name__ == "__main__":
    house.prove(lambda tree: check(tree, {"trainer/list.cpp": "a list"}), bad=({},),
                good=({"trainer/list.cpp": ""},))
    house.main(RULE, check, BAD, GOOD, for_checkout=lambda tree: check(tree, EXEMPT))
