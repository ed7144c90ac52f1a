"""What is tracked speaks of SLIME only, and works on any machine."""

import re

import house

RULE = "no tracked text names a path of one machine or the tools that someone wrote it with"
BANNED = (
    # The one allowed path there is the default session folder, which is documented.
    (re.compile(r"(?<![\w./}$])/(work|tmp|home|root|Users|mnt)/(?!slime-)"),
     "a path of one machine"),
    (re.compile(r"(?<![\w.:-])(AI|LLM|GPT|ChatGPT|Copilot|Claude|Anthropic|OpenAI)(?![\w-])"),
     "a word about tools"),
    (re.compile(r"(co-authored-by|generated with|language model)", re.IGNORECASE),
     "a word about tools"),
    (re.compile(r"\b(FIXME|XXX|HACK)\b"), "an unkept promise"),
)
EXEMPT = ("tests/tidy/plain_text.py",)


def check(tree, exempt=()):
    found = []
    for name in tree.files:
        if name in exempt:
            continue
        try:
            text = tree.text(name)
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for pattern, what in BANNED:
                if match := pattern.search(line):
                    found.append(house.Violation(name, number, f"'{match.group(0)}' is {what}"))
    return found


# Put together, so that this file names no such path either.
BAD = tuple({"docs.md": text} for text in (
    *(f'see "/{folder}/x"' for folder in ("work", "tmp", "home", "mnt")),
    "written by an AI.", "Claude did it", "Co-Authored-By: someone", "FIXME: later"))
GOOD = ({"docs.md": "a FAIR share; build/" + "work/x; ./home/a; OpenBLAS; /usr/share/x"},)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD, for_checkout=lambda tree: check(tree, EXEMPT))
