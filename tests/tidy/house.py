"""What every house rule stands on: the files it reads, how it proves itself and how it reports."""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

CODE = (".cpp", ".hpp", ".cu")
TOP_FOLDERS = ("schemas", "runtime", "trainer", "storage", "actors", "tools", "tests")


@dataclasses.dataclass(frozen=True)
class Violation:
    """One broken rule. `line` counts from 1; 0 speaks of the whole file."""

    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


class House:
    """A source tree. `files` are paths relative to `root`, sorted, ignored files left out."""

    def __init__(self, root, files):
        self.root = pathlib.Path(root)
        self.files = sorted(files)

    @classmethod
    def of_checkout(cls, root):
        """New files count before they are added, so that the rules speak before the commit."""
        listing = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z",
             "--cached", "--others", "--exclude-standard"], capture_output=True)
        if listing.returncode != 0:
            sys.exit(f"{root} is no git checkout: {listing.stderr.decode().strip()}")
        names = set(listing.stdout.decode().split("\0")) - {""}
        return cls(root, [name for name in names if (pathlib.Path(root) / name).is_file()])

    @classmethod
    def of_texts(cls, root, texts):
        """Writes {path: text} below `root`: a small house for a self-test."""
        for name, text in texts.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return cls(root, texts)

    def named(self, *suffixes):
        return [name for name in self.files if name.endswith(suffixes)]

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def has(self, name):
        return name in self.files


def without_comments(source, keep_strings=False):
    """C++ with comments, and string contents unless kept, blanked out; lines keep their numbers."""

    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if keep_strings:
            return token
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return re.sub(
        r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
        blank, source, flags=re.DOTALL)


def prove(check, bad, good):
    """Stops the program unless `check` flags each house of `bad` and passes each of `good`."""
    for texts, is_bad in [(texts, True) for texts in bad] + [(texts, False) for texts in good]:
        with tempfile.TemporaryDirectory() as folder:
            found = check(House.of_texts(folder, texts))
        if bool(found) != is_bad:
            wrong = "missed" if is_bad else f"wrongly flagged ({found[0]})"
            sys.exit(f"self-test: the rule {wrong} this house: {texts}")


def report(rule, found):
    """Prints violations of `rule` and ends the program. Exit codes: 0 kept, 1 broken."""
    for violation in found:
        print(violation)
    if found:
        print(f"the rule: {rule}")
    sys.exit(1 if found else 0)


def with_programs(rule):
    """The command line of a rule that runs the built programs: (checkout, their folder)."""
    parser = argparse.ArgumentParser(description=rule)
    parser.add_argument("root", type=pathlib.Path, help="the checkout to look at")
    parser.add_argument("programs", type=pathlib.Path, help="folder of the built programs")
    arguments = parser.parse_args()
    return House.of_checkout(arguments.root.resolve()), arguments.programs.resolve()


def main(rule, check, bad, good=(), for_checkout=None):
    """Proves `check` on small houses, then runs it on the checkout named on the command line.

    `check` takes a House and returns Violations; `for_checkout`, where given, is the same check
    with the exceptions that only the checkout has. Exit codes: 0 kept, 1 broken.
    """
    parser = argparse.ArgumentParser(description=rule)
    parser.add_argument("root", type=pathlib.Path, help="the checkout to look at")
    root = parser.parse_args().root
    assert bad, "a rule without a bad example could pass silently"
    prove(check, bad, good)
    tree = House.of_checkout(root)
    if not tree.named(*CODE):
        sys.exit(f"{root} holds no code to look at")
    report(rule, (for_checkout or check)(tree))
