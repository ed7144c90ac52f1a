"""Commands that the documents show are commands that work.

Every block fenced as ```sh is typed as it stands, block by block and in order, into a copy of the
checkout with the built programs on PATH; document_stage.py says what is different there. Each
document gets a fresh copy.
"""

import re
import tempfile

import document_stage
import house

RULE = ("a block of shell commands is fenced as ```sh and succeeds when it is typed into a fresh "
        "checkout; what it starts, the document stops")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Other names that people give to shell commands, under which nobody would execute them.
SHELLS = re.compile(r"\s*(sh\b.+|bash|shell|console|zsh)", re.IGNORECASE)


def blocks(text):
    """(line of the fence, its language, what is in it) of each fenced block."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2))
            for match in FENCE.finditer(text)]


def check_document(tree, name, programs, end_seconds):
    found, typed = [], []
    for line, language, content in blocks(tree.text(name)):
        if language == "sh":
            typed.append((line, content))
        elif SHELLS.match(language):
            found.append(house.Violation(name, line, f"fenced as {language}, so nobody runs it"))
    if not typed and name == "README.md":
        found.append(house.Violation(name, 0, "shows no command"))
    if not typed:
        return found
    # What the stage has killed may still be making its last file.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stage = document_stage.Stage(tree, folder, programs)
        for line, commands in typed:
            if wrong := stage.run(commands):
                found.append(house.Violation(name, line, wrong))
        found += [house.Violation(name, 0, wrong) for wrong in stage.end(end_seconds)]
    return found


def check(tree, programs, end_seconds=20):
    return [violation for name in tree.named(".md")
            for violation in check_document(tree, name, programs, end_seconds)]


def block(commands, language="sh"):
    return f"text\n```{language}\n{commands}\n```\n```\nfalse\n```\n"


BAD = (
    {"README.md": "```\ntrue\n```\n"},
    {"README.md": block("true") + block("true", "bash")},
    {"README.md": block("true") + block("true", "sh run")},
    {"README.md": block("false")},
    {"README.md": block("false\ntrue")},
    {"README.md": block("true"), "docs/use.md": block("no-such-program")},
    {"README.md": block("cat no_such_file | sort")},
    {"README.md": block("slime start --head --no-such-flag")},
    {"README.md": block("slime status")},
)
GOOD = (
    {"README.md": block("echo kept > made") + block("grep kept made"), "docs.md": "text"},
    {"README.md": block("grep -q x docs/a.txt"), "docs/a.txt": "x"},
    {"README.md": block("slime start --head  # stays there\nslime status --address tcp:HOST:PORT")
                  + block("slime stop")},
)


def main():
    checkout, programs = house.with_programs(RULE)
    house.prove(lambda tree: check(tree, programs), BAD, GOOD)
    # The rule waits for what a document has left running; here that is in vain.
    house.prove(lambda tree: check(tree, programs, end_seconds=1),
                ({"README.md": block("slime start --head")},), ())
    house.report(RULE, check(checkout, programs))


if __name__ == "__main__":
    main()
