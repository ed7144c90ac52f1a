"""What the documents say of the command line is what the programs know."""

import re
import shlex
import subprocess

import house

RULE = ("`slime --help`, the documents and the code name the same verbs, flags and exit codes, and "
        "README.md shows every verb")
VERBS = "tools/slime/commands.cpp"
CODES = "tools/slime/exit_code.hpp"
# In a code span or on a line of a fenced block, up to the comment or the next command.
COMMAND = re.compile(r"(?:^|`)((?:slime|tools/[\w./-]+) [^`\n#|]*)", re.MULTILINE)
PLACEHOLDER = re.compile(r"[A-Z]+$")


def verbs_of_code(tree):
    return re.findall(r'^ {4}\{"([a-z ]+)",', tree.text(VERBS), re.MULTILINE)


def codes_of_code(tree):
    return set(re.findall(r"^  \w+ = (\d+),", tree.text(CODES), re.MULTILINE))


def codes_of_table(text):
    return set(re.findall(r"^\| (\d+) \|", text, re.MULTILINE))


def codes_of_help(text):
    told = re.search(r"Exit codes:(.*)", text, re.DOTALL)
    return set(re.findall(r"\d+", told.group(1))) if told else set()


def commands(text):
    """(line, words) of each command of ours that a document shows."""
    found = []
    for match in COMMAND.finditer(text):
        try:
            words = shlex.split(match.group(1))
        except ValueError:  # A code span that goes on in the next line.
            words = match.group(1).split()
        found.append((text.count("\n", 0, match.start(1)) + 1, words))
    return found


def flags(words):
    return [word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)]


def problems(tree, words, verbs, help_of):
    """What is wrong with one command."""
    if words[0] != "slime":
        if not tree.has(words[0]):
            return []  # Another rule's matter.
        script = tree.text(words[0])
        return [f"{words[0]} knows no {flag}" for flag in flags(words[1:]) if flag not in script]
    verb = next((verb for verb in verbs if words[1:][:len(verb.split())] == verb.split()), None)
    if verb is None:
        known = words[1].startswith("--") or PLACEHOLDER.match(words[1])
        return [] if known else [f"slime knows no verb {words[1]}"]
    told = help_of(verb) + " --help"
    return [f"slime {verb} knows no {flag}" for flag in flags(words[1:])
            if not re.search(rf"(?<![\w-]){flag}(?![\w-])", told)]


def check(tree, help_of):
    """`help_of(VERB)` is what the program tells of a verb, or of itself when it is empty."""
    verbs, codes = verbs_of_code(tree), codes_of_code(tree)
    found = []
    told = re.findall(r"^  (\S.*)$", help_of("").split("commands:")[-1], re.MULTILINE)
    if len(told) != len(verbs) or any(not line.startswith(verb + " ")
                                      for line, verb in zip(told, verbs)):
        found.append(house.Violation(VERBS, 0, f"the program's help tells of {told}"))
    readme = tree.text("README.md")
    for name, said in (("README.md", codes_of_table(readme)), (CODES, codes_of_help(help_of("")))):
        if said != codes:
            found.append(house.Violation(name, 0, "the table in README.md, the program's help and "
                                         f"{CODES} differ in {sorted(said ^ codes)}"))
    shown = [" ".join(words[1:]) + " " for _, words in commands(readme)]
    found += [house.Violation("README.md", 0, f"does not show slime {verb}") for verb in verbs
              if not any(command.startswith(verb + " ") for command in shown)]
    for name in tree.named(".md"):
        found += [house.Violation(name, line, wrong) for line, words in commands(tree.text(name))
                  for wrong in problems(tree, words, verbs, help_of)]
    return found


TOLD = {"": "slime\n\ncommands:\n  fly FAR\n      go\n\nslime X. Exit codes: 0 done,\n1 failed.\n",
        "fly": "  --far  as far as can be\n"}
KEPT = {
    VERBS: 'constexpr Command all[] = {\n    {"fly", "FAR", "go", run_fly},\n};\n',
    CODES: "  ok = 0,\n  failure = 1,  ///< It was tried.\n",
    "README.md": "`slime fly --far` `slime --help` `slime VERB --help` `tools/a --b`\n"
                 "| 0 | done |\n| 1 | not |\n",
    "tools/a": "--b)\n",
}


def with_text(name, before, after):
    return KEPT | {name: KEPT[name].replace(before, after)}


BAD = (
    with_text(VERBS, "fly", "run"),
    with_text(VERBS, "};", '    {"walk", "", "", run_walk},\n};'),
    with_text(CODES, "= 1", "= 2"),
    with_text("README.md", "| 1 | not |", ""),
    with_text("README.md", "slime fly --far", "slime swim"),
    with_text("README.md", "--far", "--far --high"),
    with_text("README.md", "--b", "--c"),
    with_text("README.md", "slime fly", "slime"),
    KEPT | {"docs.md": "```sh\nslime fly --fa  # --far\n```\n"},
)
GOOD = (KEPT, KEPT | {"docs.md": "```sh\nslime fly --far=3 | tail -n 1  # --x\n```\n"})


def main():
    checkout, programs = house.with_programs(RULE)
    house.prove(lambda tree: check(tree, TOLD.__getitem__), BAD, GOOD)

    def help_of(verb):
        return subprocess.run([programs / "slime", *verb.split(), "--help"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout

    house.report(RULE, check(checkout, help_of))


if __name__ == "__main__":
    main()
