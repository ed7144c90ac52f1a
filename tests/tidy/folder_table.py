"""The map in README.md and the house agree."""

import re

import house

RULE = ("README.md's folder table names every top folder and no other; each has a README.md, which "
        "names its folders, or its schemas")
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
    return found + [lack for folder in sorted(folders) if tree.has(f"{folder}/README.md")
                    for lack in unnamed(tree, folder)]


def unnamed(tree, folder):
    """What the folder's own map does not name; tests/ names what does not mirror the tree."""
    text = tree.text(f"{folder}/README.md")
    parts = {name.split("/")[1] + "/" for name in tree.files
             if name.startswith(folder + "/") and name.count("/") > 1}
    parts |= {name.split("/")[1] for name in tree.files
              if name.startswith(folder + "/") and name.endswith(".capnp") and name.count("/") == 1}
    if folder == "tests":
        parts -= {name.split("/")[0] + "/" for name in tree.files}
    return [house.Violation(f"{folder}/README.md", 0, f"does not name {part}")
            for part in sorted(parts) if f"`{part}`" not in text]


TABLE = "| folder | holds |\n|---|---|\n| `trainer/` | mathematics |\n"
BAD = (
    {},
    {"README.md": TABLE},
    {"README.md": TABLE, "trainer/a.cpp": ""},
    {"README.md": TABLE, "trainer/README.md": "", "storage/README.md": ""},
    {"README.md": TABLE, "trainer/README.md": "", "trainer/sync/a.cpp": ""},
    {"README.md": TABLE, "trainer/README.md": "", "trainer/a.capnp": ""},
)
GOOD = (
    {"README.md": TABLE, "trainer/README.md": "", ".ci/run": ""},
    {"README.md": TABLE, "trainer/README.md": "`sync/`, `a.capnp`", "trainer/sync/b/a.cpp": "",
     "trainer/a.capnp": ""},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
