"""Time, chance and surroundings come in as arguments."""

import re

import house

RULE = "time, chance and the environment are passed in (STYLE.md, \"Time and chance\")"
BANNED = re.compile(
    r"\b(steady_clock::now|system_clock::now|high_resolution_clock|clock_gettime|gettimeofday"
    r"|s?rand\s*\(|random_device|sleep_for|sleep_until|u?sleep\s*\(|nanosleep|getenv)")

# Folders and files where a call is at home, with the reason.
ALLOWED = {
    "runtime/base/clock.cpp": "the one place that reads the clock",
    "runtime/base/random.cpp": "seeds the identity of a node from the system's entropy",
    "tools/": "programs meet the world here",
    "tests/cluster/": "real processes need real time",
    "tests/runtime/link/": "waits for real sockets",
    "tests/runtime/metrics/metrics_server_test.cpp": "waits for real sockets",
    "tests/storage/crash_test.cpp": "lets a real process run for a while before it kills it",
    "tests/tools/": "waits for real processes",
}


def check(tree):
    found = []
    for name in tree.named(*house.CODE):
        if name.startswith(tuple(ALLOWED)):
            continue
        code = house.without_comments(tree.text(name))
        for number, line in enumerate(code.split("\n"), 1):
            match = BANNED.search(line)
            if match:
                call = match.group(1).strip(" (")
                found.append(house.Violation(name, number, f"{call} is banned here"))
    return found


BAD = tuple({"trainer/a.cpp": f"void f() {{ {call}; }}\n"} for call in (
    "auto t = std::chrono::steady_clock::now()",
    "auto t = std::chrono::system_clock::now()",
    "int i = rand()",
    "std::this_thread::sleep_for(1s)",
    "usleep(3)",
    'auto home = std::getenv("HOME")',
    "std::random_device device",
))
GOOD = (
    {"trainer/a.cpp": "// getenv is banned\nvoid f() { g(\"rand()\"); operand(1); }\n"},
    {"runtime/base/clock.cpp": "auto t = std::chrono::steady_clock::now();\n"},
    {"tools/slime/main.cpp": "auto home = getenv(name);\n"},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
