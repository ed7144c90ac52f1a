"""Shell scripts stop at the first error and have no known trap in them."""

import json
import subprocess

import house

RULE = "a shell script is executable, starts with `set -euo pipefail` and is clean for shellcheck"
SHEBANG = "#!/usr/bin/env bash\n"


def check(tree):
    scripts = [name for name in tree.files
               if (tree.root / name).open("rb").read(2) == b"#!"
               and (name.endswith(".sh") or "sh" in tree.text(name).split("\n")[0].split("/")[-1])]
    found = []
    for name in scripts:
        text = tree.text(name)
        if not text.startswith(SHEBANG):
            found.append(house.Violation(name, 1, f"the first line is not {SHEBANG.strip()}"))
        if "\nset -euo pipefail\n" not in text:
            found.append(house.Violation(name, 0, "`set -euo pipefail` is missing"))
        run = subprocess.run(["shellcheck", "--format=json", name], cwd=tree.root,
                             capture_output=True, text=True)
        found += [house.Violation(name, note["line"], f"SC{note['code']}: {note['message']}")
                  for note in json.loads(run.stdout)]
    return found


START = SHEBANG + "set -euo pipefail\n"
BAD = (
    {"a": SHEBANG + "true\n"},
    {"a": "#!/bin/sh\nset -euo pipefail\n"},
    {"a.sh": START + "rm $1\n"},
)
GOOD = ({"a": START + 'rm "$1"\n', "b.py": "#!/usr/bin/env python3\nprint()\n", "c": "text"},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
