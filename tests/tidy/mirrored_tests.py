"""Every source file is built and has its test in the mirrored place."""

import pathlib
import re

import house

RULE = ("tests/<path>/<file>_test.cpp tests <path>/<file>.cpp, in a suite and namespace of its "
        "name")

# Plain lists are tested by the suite that runs over all their entries; say which.
EXEMPT = {
    **{f"actors/training/coordinator_{part}.cpp": "a part of coordinator.hpp, which has one test"
       for part in ("agreement", "boundary", "crew", "deployment", "history", "manifest",
                    "progress", "record", "saving", "succession")},
    **{f"runtime/link/{part}.cpp": "inside link.hpp; link_test drives it over real sockets"
       for part in ("acceptor", "caf_error", "connection", "credit_account", "dialler",
                    "failure_detector", "handshake", "hub", "inbound", "link_context",
                    "listener", "mailbox_element", "opening", "peer", "peer_events", "peer_table",
                    "pending_requests", "proxy", "pursuit")},
    **{f"tools/bench/{name}.cpp": "a benchmark; tests/tools/bench runs it"
       for name in ("balance_bench", "carrier", "carrier_basp", "carrier_kj", "carrier_raw",
                    "carrier_slime", "checkpoint_bench", "durable_bench", "hardship",
                    "head_recovery", "link_bench", "recovery_bench", "served_process")},
    "tools/bench/benchmarks.cpp": "a plain list",
}


def is_program(tree, name):
    return re.search(r"^int main\(", tree.text(name), flags=re.MULTILINE) is not None


def is_built(tree, name):
    path = pathlib.PurePosixPath(name)
    lists = [f"{folder}/CMakeLists.txt" for folder in path.parents] + tree.named(".cmake")
    return any(re.search(rf"(?<!\w){re.escape(path.name)}\b", tree.text(built))
               for built in lists if tree.has(built))


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
        if not re.search(rf"BOOST_(AUTO|FIXTURE)_TEST_SUITE\({path.stem}\b", tree.text(name)):
            found.append(house.Violation(name, 0, f"its suite is not called {path.stem}"))
        if re.search(r"^namespace {$", tree.text(name), flags=re.MULTILINE):
            found.append(house.Violation(name, 0, "what it keeps to itself belongs in namespace "
                                                  f"{path.stem}: tests are compiled together"))
    found += [house.Violation(name, 0, "no CMakeLists.txt builds it")
              for name in tree.named(".cpp") if not is_built(tree, name)]
    return found


SUITE = "BOOST_AUTO_TEST_SUITE(a_test)\n"
BUILT = {"trainer/a.cpp": "int f();\n",
         "trainer/CMakeLists.txt": "slime_library(trainer SOURCES a.cpp)"}
KEPT = BUILT | {"tests/trainer/a_test.cpp": SUITE,
                "tests/trainer/CMakeLists.txt": "slime_test(trainer_test SOURCES a_test.cpp)"}
BAD = (
    BUILT,
    KEPT | {"tests/trainer/CMakeLists.txt": ""},
    KEPT | {"trainer/CMakeLists.txt": "slime_library(trainer SOURCES my_a.cpp)"},
    KEPT | {"tests/trainer/a_test.cpp": "BOOST_AUTO_TEST_SUITE(other)\n"},
    KEPT | {"tests/trainer/a_test.cpp": "namespace {\n}\n" + SUITE},
    BUILT | {"tests/a_test.cpp": SUITE, "tests/CMakeLists.txt": "a_test.cpp"},
)
GOOD = (
    KEPT,
    KEPT | {"tests/trainer/a_test.cpp": "BOOST_FIXTURE_TEST_SUITE(a_test, Folder)\n"},
    {"tools/slime/main.cpp": "int main(int argc, char** argv) {}\n",
     "tools/slime/CMakeLists.txt": "slime_program(slime SOURCES main.cpp)"},
    {"tests/support/main.cpp": "", "tools/cmake/slime_targets.cmake": "support/main.cpp"},
)

if __name__ == "__main__":
    house.prove(lambda tree: check(tree, {"trainer/a.cpp": "a list"}), bad=({},), good=(BUILT,))
    house.main(RULE, check, BAD, GOOD, for_checkout=lambda tree: check(tree, EXEMPT))
