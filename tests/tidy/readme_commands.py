"""Commands that the documents show are commands that work.

A block fenced as ```sh run is executed, block by block and in order, in a copy of the checkout
with the built programs on PATH. Each document gets a fresh copy.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import house

RULE = "a block fenced as ```sh run succeeds when it is typed into a fresh checkout"
BLOCK_SECONDS = 300
BLOCK = re.compile(r"^```sh run\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(text):
    """(line of its first command, commands) of each runnable block."""
    return [(text.count("\n", 0, match.start(1)) + 1, match.group(1))
            for match in BLOCK.finditer(text)]


def run_block(commands, folder, programs):
    """None when `commands` succeed in `folder`; otherwise what went wrong."""
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    try:
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                             env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=BLOCK_SECONDS)
    except subprocess.TimeoutExpired:
        return f"did not end within {BLOCK_SECONDS} s"
    return f"ended with {run.returncode}:\n{run.stdout}" if run.returncode else None


def copy_of(tree, folder):
    for name in tree.files:
        target = pathlib.Path(folder) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree.root / name, target)


def check(tree, programs):
    found = []
    for name in tree.named(".md"):
        runnable = blocks(tree.text(name))
        if not runnable and name == "README.md":
            found.append(house.Violation(name, 0, "has no runnable block"))
        if not runnable:
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy_of(tree, folder)
            for line, commands in runnable:
                if wrong := run_block(commands, folder, programs):
                    found.append(house.Violation(name, line, wrong))
    return found


def block(commands):
    return f"text\n```sh run\n{commands}\n```\n```sh\nfalse\n```\n"


BAD = (
    {"README.md": "```sh\ntrue\n```\n"},
    {"README.md": block("false")},
    {"README.md": block("false\ntrue")},
    {"README.md": block("true"), "docs/use.md": block("no-such-program")},
    {"README.md": block("cat no_such_file | sort")},
)
GOOD = (
    {"README.md": block("echo kept > made") + block("grep kept made"), "docs.md": "text"},
    {"README.md": block("grep -q x docs/a.txt"), "docs/a.txt": "x"},
)


def main():
    parser = argparse.ArgumentParser(description=RULE)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, help="folder of the built programs")
    arguments = parser.parse_args()
    house.prove(lambda tree: check(tree, arguments.programs), BAD, GOOD)
    found = check(house.House.of_checkout(arguments.root), arguments.programs)
    for violation in found:
        print(violation)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
