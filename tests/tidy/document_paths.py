"""Documents name only what is there."""

import posixpath
import re

import house

RULE = "every path of the house that a document names in `code` or links to exists"
CODE_SPAN = re.compile(r"`((?:%s)/[\w./-]*)`" % "|".join(house.TOP_FOLDERS))
LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)")


def check(tree):
    found = []
    places = {"/".join(parts[:depth]) for parts in (name.split("/") for name in tree.files)
              for depth in range(1, len(parts) + 1)}
    for name in tree.named(".md"):
        folder = posixpath.dirname(name)
        for number, line in enumerate(tree.text(name).split("\n"), 1):
            named = [match.group(1) for match in CODE_SPAN.finditer(line)]
            named += [posixpath.join(folder, match.group(1)) for match in LINK.finditer(line)]
            found += [house.Violation(name, number, f"{path} does not exist") for path in named
                      if posixpath.normpath(path) not in places]
    return found


BAD = (
    {"README.md": "see `trainer/sync/`"},
    {"README.md": "see `tools/setup`", "tools/test": ""},
    {"docs/a.md": "see [b](b.md)", "b.md": ""},
)
GOOD = (
    {"README.md": "`tools/` `tools/setup` [a](docs/a.md) [b](https://x.org) `build/x` `--tools/y`",
     "tools/setup": "", "docs/a.md": "see [the map](../README.md#map), `tests/<path>/x`",
     "tests/x": ""},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
