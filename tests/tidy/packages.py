"""One list of packages, and a reason for each."""

import re

import house

RULE = ("tools/packages.txt is the only list of packages: ARCHITECTURE.md gives a reason for each, "
        "tools/setup reads it, and nothing else installs anything")
LIST = "tools/packages.txt"
REASONS = "ARCHITECTURE.md"
INSTALLER = "tools/setup"
INSTALLS = re.compile(r"\b(apt|apt-get|aptitude|pip|pip3|npm|cargo|conda) (-\S+ )*install\b")


def listed(text):
    lines = (line.split("#")[0].removesuffix("@tests").strip() for line in text.split("\n"))
    return {line: number for number, line in enumerate(lines, 1) if line}


def reasons(text):
    """Names in the first column of the table under "Dependencies"."""
    section = re.search(r"^## [^\n]*Dependencies\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| (`[^|]*) \|", section.group(1), re.MULTILINE) if section else []
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def check(tree):
    missing = [name for name in (LIST, REASONS, INSTALLER) if not tree.has(name)]
    if missing:
        return [house.Violation(name, 0, "is missing") for name in missing]
    packages, explained = listed(tree.text(LIST)), reasons(tree.text(REASONS))
    found = [house.Violation(LIST, packages[name], f"{REASONS} gives no reason for {name}")
             for name in sorted(packages.keys() - explained)]
    found += [house.Violation(REASONS, 0, f"{name} is not in {LIST}")
              for name in sorted(explained - packages.keys())]
    if "packages.txt" not in tree.text(INSTALLER):
        found.append(house.Violation(INSTALLER, 0, f"does not read {LIST}"))
    for name in tree.files:
        if name == INSTALLER or name.startswith("tests/tidy/"):
            continue
        for number, line in enumerate(tree.text(name).split("\n"), 1):
            if INSTALLS.search(line):
                found.append(house.Violation(name, number, f"only {INSTALLER} installs packages"))
    return found


KEPT = {
    LIST: "# Compilers\ng++ # GNU\nlibx-dev @tests\n",
    REASONS: "## 6 Dependencies\n| package | why |\n|---|---|\n| `g++`, `libx-dev` | built |\n",
    INSTALLER: "cat packages.txt\n",
}
BAD = (
    {},
    KEPT | {LIST: "g++\n"},
    KEPT | {LIST: "g++\nlibx-dev\nliby-dev\n"},
    KEPT | {INSTALLER: "apt-get install g++\n"},
    KEPT | {"README.md": "    sudo apt install -y g++\n"},
    KEPT | {".ci/run": "apt-get -y install g++\n"},
    KEPT | {".ci/run": "pip3 install numpy\n"},
)
GOOD = (KEPT,)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
