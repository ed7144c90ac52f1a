"""The map in README.md and the house agree."""

import re

import house

RULE = "README.md's folder table names every top folder and no other; each has a README.md"
ROW = re.compile(r"\| `([a-z]+)/` \|")


def check(tree):
    if not tree.has("README.md"):
        return [house.Violation("README.md", 0, "is missing")]
    lines = tree.text("README.md").split("\n")
    rows = {match.group(1): number for number, line in enumerate(lines, 1)
            if (match := ROW.match(line))}
    folders = {name.split("/")[0] for name in tree.files if "/" in name and name[0] != "."}
    found = [house.Violation("README.md", rows[row], f"there is no folder {row}/")
             for row in sorted(rows.keys() - folders)]
    found += [house.Violation("README.md", 0, f"the folder table lacks {folder}/")
              for folder in sorted(folders - rows.keys())]
    found += [house.Violation(f"{folder}/README.md", 0, "is missing")
              for folder in sorted(folders) if not tree.has(f"{folder}/README.md")]
    return found


TABLE = "| folder | holds |\n|---|---|\n| `trainer/` | mathematics |\n"
BAD = (
    {},
    {"README.md": TABLE},
    {"README.md": TABLE, "trainer/a.cpp": ""},
    {"README.md": TABLE, "trainer/README.md": "", "storage/README.md": ""},
)
GOOD = ({"README.md": TABLE, "trainer/README.md": "", ".ci/run": ""},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
