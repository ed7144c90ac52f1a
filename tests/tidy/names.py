"""No file or folder is a dumping ground."""

import re

import house

RULE = "no file or folder is called util, common, misc, helpers or manager: name the concept"
BANNED = re.compile(r"(util|utils|utility|utilities|common|misc|helper|helpers|manager|managers)$")


def check(tree):
    found = []
    for name in tree.files:
        for word in re.split(r"[/_.\-]+", name):
            if BANNED.match(word.lower()):
                found.append(house.Violation(name, 0, f"'{word}' says nothing about what is in it"))
    return found


BAD = (
    {"runtime/util/thing.hpp": ""},
    {"runtime/base/string_utils.hpp": ""},
    {"trainer/common.cpp": ""},
    {"actors/session-manager.hpp": ""},
    {"tests/support/helpers.py": ""},
)
GOOD = ({"runtime/base/utilisation.hpp": "", "trainer/uncommon.cpp": ""},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
