"""The services of tools/deploy: their units are sound, what they start works, and install brings
them to where they look for each other.

    deploy_test.py PROGRAM [unittest's arguments]
"""

import configparser
import os
import pathlib
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

DEPLOY = pathlib.Path(__file__).resolve().parents[3] / "tools" / "deploy"
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
UNITS = {kind: DEPLOY / f"slime-{kind}.service" for kind in ("head", "node")}
INSTALLED_PROGRAM = "/usr/local/bin/slime"
PATIENCE = 20


def parsed(unit):
    """A unit as {section: {key: value}}; a key that comes twice is an error."""
    parser = configparser.ConfigParser(delimiters="=", comment_prefixes="#", interpolation=None)
    parser.optionxform = str
    parser.read_string(unit.read_text())
    return parser


def settings(kind):
    lines = (DEPLOY / f"{kind}.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def expanded(command, environment, specifiers):
    """The words of an ExecStart line, as systemd would make them."""
    for name, value in specifiers.items():
        command = command.replace(name, value)
    words = []
    for word in shlex.split(command):
        if re.fullmatch(r"\$\w+", word):  # Without braces: split into words, none when empty.
            words += environment[word[1:]].split()
        else:
            words.append(re.sub(r"\$\{(\w+)\}", lambda name: environment[name.group(1)], word))
    return words


class Units(unittest.TestCase):
    def test_every_unit_has_what_an_operator_relies_on(self):
        for kind, path in UNITS.items():
            unit = parsed(path)
            with self.subTest(kind):
                self.assertEqual(unit.sections(), ["Unit", "Service", "Install"])
                service = unit["Service"]
                self.assertEqual(service["Restart"], "on-failure")
                self.assertGreaterEqual(float(service["RestartSec"]), 1)
                self.assertEqual(service["KillSignal"], "SIGTERM")
                self.assertGreater(float(service["TimeoutStopSec"]), 10)
                self.assertEqual(service["EnvironmentFile"], f"/etc/slime/{kind}.env")
                self.assertEqual(service["LoadCredential"], "token:/etc/slime/token")
                self.assertIn("StateDirectory", service)
                self.assertEqual(unit["Install"]["WantedBy"], "multi-user.target")

    def test_every_flag_of_a_command_line_is_one_of_the_program(self):
        known = subprocess.run([PROGRAM, "start", "--help"], capture_output=True, text=True,
                               check=True).stdout
        for kind, path in UNITS.items():
            command = parsed(path)["Service"]["ExecStart"]
            self.assertTrue(command.startswith(INSTALLED_PROGRAM + " start "))
            flags = re.findall(r"(?<=\s)--[\w-]+", command)
            self.assertGreater(len(flags), 3)
            for flag in flags:
                self.assertRegex(known, rf"{flag}\b", f"{kind}: {flag}")

    def test_every_setting_is_used_and_every_variable_has_one(self):
        for kind, path in UNITS.items():
            used = set(re.findall(r"\$\{?(\w+)", parsed(path)["Service"]["ExecStart"]))
            self.assertEqual(used - {"CREDENTIALS_DIRECTORY"}, set(settings(kind)), kind)

    def test_an_exit_code_that_is_not_tried_again_is_one_of_the_program(self):
        source = (DEPLOY.parent / "slime" / "exit_code.hpp").read_text()
        codes = set(re.findall(r"^  \w+ = (\d+),", source, re.MULTILINE))
        for kind, path in UNITS.items():
            named = parsed(path)["Service"]["RestartPreventExitStatus"].split()
            self.assertLessEqual(set(named), codes, kind)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze here")
    def test_systemd_finds_nothing_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in UNITS.values():
                text = path.read_text().replace(INSTALLED_PROGRAM, str(PROGRAM))
                (pathlib.Path(folder) / path.name).write_text(text)
                run = subprocess.run(["systemd-analyze", "verify", "--man=no", f"./{path.name}"],
                                     cwd=folder, capture_output=True, text=True)
                # It also speaks of other units of this machine.
                ours = [line for line in run.stderr.splitlines() if path.name in line]
                self.assertEqual((run.returncode, ours), (0, []), run.stderr)


class Service:
    """What a unit starts, as a process of this machine: its settings with ports of its own, its
    folders below `stage`."""

    def __init__(self, kind, stage, **given):
        self.session = stage / f"slime-{kind}"
        credentials = stage / "credentials"
        credentials.mkdir(exist_ok=True)
        (credentials / "token").write_text("secret\n")
        environment = settings(kind) | {"METRICS": "127.0.0.1:0",
                                        "CREDENTIALS_DIRECTORY": str(credentials)} | given
        words = expanded(parsed(UNITS[kind])["Service"]["ExecStart"], environment,
                         {"%H": "machine", INSTALLED_PROGRAM: str(PROGRAM),
                          f"/run/slime-{kind}": str(self.session)})
        self.log = stage / f"{kind}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(words, cwd=stage, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)

    def said(self, pattern):
        """The first group of `pattern` in what it says, once it does."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if match := re.search(pattern, self.log.read_text()):
                return match.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"{pattern}: it said {self.log.read_text()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


class Running(unittest.TestCase):
    def setUp(self):
        stage = tempfile.TemporaryDirectory()
        self.addCleanup(stage.cleanup)
        self.stage = pathlib.Path(stage.name)

    def start(self, kind, **given):
        service = Service(kind, self.stage, **given)

        def end():
            if service.process.poll() is None:
                service.process.kill()
                service.process.wait()

        self.addCleanup(end)
        return service

    def test_a_head_and_a_node_form_a_cluster_and_end_in_order(self):
        head = self.start("head", LISTEN="tcp:127.0.0.1:0")
        address = head.said(r"head listens at (tcp:127\.0\.0\.1:\d+)")
        node = self.start("node", HEAD=address, OPTIONS="--role worker --log-level info")
        node.said(r"(machine listens at)")
        status = subprocess.run([PROGRAM, "status", "--session", str(head.session)],
                                capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(status.returncode, 0, status.stderr)
        for name in ("head", "machine"):
            self.assertRegex(status.stdout, rf"\b{name}\b")
        for service in (head, node):
            with urllib.request.urlopen(service.said(r"serves metrics at (\S+)"),
                                        timeout=PATIENCE) as answer:
                self.assertIn("\nslime_link_connected_peers 1\n", answer.read().decode())
        self.assertEqual(node.stop(), 0, node.log.read_text())
        self.assertEqual(head.stop(), 0, head.log.read_text())


class Install(unittest.TestCase):
    def setUp(self):
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.root = pathlib.Path(root.name)

    def install(self, *arguments, program=PROGRAM, path=""):
        """`path`: a folder of programs that come before the system's."""
        environment = os.environ | {"PATH": os.pathsep.join(filter(None, (path, os.defpath)))}
        return subprocess.run([DEPLOY / "install", *arguments, "--root", self.root, "--program",
                               program], capture_output=True, text=True, timeout=PATIENCE,
                              env=environment)

    def at(self, path):
        return self.root / path.lstrip("/")

    def test_a_head_finds_everything_its_unit_names(self):
        run = self.install("head")
        self.assertEqual(run.returncode, 0, run.stderr)
        unit = self.at("/etc/systemd/system/slime-head.service")
        self.assertEqual(unit.read_text(), UNITS["head"].read_text())
        service = parsed(unit)["Service"]
        self.assertTrue(os.access(self.at(service["ExecStart"].split()[0]), os.X_OK))
        self.assertTrue(self.at(service["EnvironmentFile"]).is_file())
        token = self.at(service["LoadCredential"].split(":")[1])
        self.assertRegex(token.read_text(), r"^[0-9a-f]{64}\n$")
        self.assertEqual(stat.S_IMODE(token.stat().st_mode), 0o600)
        users = self.at("/etc/sysusers.d/slime.conf").read_text()
        self.assertRegex(users, rf"(?m)^u {service['User']} ")

    def test_what_an_operator_has_changed_is_kept(self):
        self.assertEqual(self.install("head").returncode, 0)
        token = self.at("/etc/slime/token").read_text()
        self.at("/etc/slime/head.env").write_text("LISTEN=tcp:10.0.0.1:1\n")
        self.assertEqual(self.install("head").returncode, 0)
        self.assertEqual(self.at("/etc/slime/token").read_text(), token)
        self.assertEqual(self.at("/etc/slime/head.env").read_text(), "LISTEN=tcp:10.0.0.1:1\n")

    def test_an_interrupted_run_leaves_no_token_that_a_later_one_would_keep(self):
        token = self.at("/etc/slime/token")
        # Ended while it makes the token.
        with tempfile.TemporaryDirectory() as tools:
            broken = pathlib.Path(tools) / "sha256sum"
            broken.write_text("#!/bin/sh\nexit 1\n")
            broken.chmod(0o755)
            run = self.install("head", path=tools)
            self.assertNotEqual(run.returncode, 0)
            self.assertFalse(token.exists())
        self.assertEqual(self.install("head").returncode, 0)
        self.assertRegex(token.read_text(), r"^[0-9a-f]{64}\n$")
        # As what was interrupted before has left it.
        token.write_text("")
        self.assertEqual(self.install("head").returncode, 0)
        self.assertRegex(token.read_text(), r"^[0-9a-f]{64}\n$")
        self.assertEqual(stat.S_IMODE(token.stat().st_mode), 0o600)
        self.assertEqual([file.name for file in token.parent.glob("token*")], ["token"])
        token.write_text("")
        self.assertEqual(self.install("node").returncode, 4)

    def test_a_node_without_the_token_says_where_to_get_it(self):
        run = self.install("node")
        self.assertEqual(run.returncode, 4)
        self.assertIn("copy /etc/slime/token of the head", run.stderr + run.stdout)
        self.at("/etc/slime/token").write_text("secret\n")
        self.assertEqual(self.install("node").returncode, 0)
        self.assertTrue(self.at("/etc/systemd/system/slime-node.service").is_file())

    def test_usage_errors(self):
        for arguments in ((), ("tail",), ("head", "--root")):
            run = subprocess.run([DEPLOY / "install", *arguments], capture_output=True, text=True,
                                 timeout=PATIENCE)
            self.assertEqual(run.returncode, 2, arguments)
        self.assertEqual(self.install("head", program="/no/program").returncode, 3)


if __name__ == "__main__":
    if PROGRAM is None:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM")
    unittest.main()
