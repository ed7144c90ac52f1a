"""What tools/setup, tools/test and tools/compare_runs.py promise, each tried on a small stage."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import compare_runs  # noqa: E402


def script(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    path.chmod(0o755)
    return path


class Stage(unittest.TestCase):
    """A PATH of our own with the plain tools and the stand-ins that a test puts there."""

    PLAIN = ("bash", "env", "sed", "sort", "comm", "dirname", "cat")

    def setUp(self):
        stage = tempfile.TemporaryDirectory()
        self.addCleanup(stage.cleanup)
        self.bin = pathlib.Path(stage.name)
        for name in self.PLAIN:
            (self.bin / name).symlink_to(f"/usr/bin/{name}")

    def run_tool(self, *arguments):
        return subprocess.run(arguments, env={"PATH": str(self.bin), "LOG": str(self.bin / "log")},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def stand_in(self, name, text):
        script(self.bin, name, f"#!/usr/bin/env bash\n{text}\n")

    def all_installed_but(self, *missing):
        absent = "|".join([*missing, "-none-"])
        self.stand_in("dpkg-query", f"""for name in "${{@:3}}"; do
          case $name in {absent}) ;; *) echo "installed $name" ;; esac
        done""")


class Setup(Stage):
    SETUP = str(ROOT / "tools" / "setup")

    def test_nothing_missing_needs_neither_root_nor_apt(self):
        self.all_installed_but()
        run = self.run_tool(self.SETUP)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_check_names_what_is_missing_and_installs_nothing(self):
        self.all_installed_but("g++", "mold")
        self.stand_in("apt-get", "echo called >> \"$LOG\"")
        run = self.run_tool(self.SETUP, "--check")
        self.assertEqual(run.returncode, 1)
        self.assertIn("missing 2 of", run.stdout)
        self.assertIn(": g++ mold", run.stdout)
        self.assertFalse((self.bin / "log").exists())

    def test_what_only_tests_need_is_for_tests(self):
        self.all_installed_but("chromium")
        self.assertEqual(self.run_tool(self.SETUP, "--check").returncode, 0)
        run = self.run_tool(self.SETUP, "--check", "--tests")
        self.assertEqual(run.returncode, 1)
        self.assertIn(": chromium", run.stdout)

    def test_a_wrong_argument_is_a_usage_error(self):
        self.assertEqual(self.run_tool(self.SETUP, "--cheque").returncode, 2)

    def test_without_dpkg_it_names_what_is_needed(self):
        run = self.run_tool(self.SETUP)
        self.assertEqual(run.returncode, 3)
        self.assertIn("librocksdb-dev", run.stderr)

    def test_without_apt_it_says_so(self):
        self.all_installed_but("mold")
        self.assertEqual(self.run_tool(self.SETUP).returncode, 3)

    @unittest.skipIf(os.geteuid() != 0, "only root installs without sudo")
    def test_only_missing_packages_are_installed(self):
        self.all_installed_but("mold")
        self.stand_in("apt-get", "echo \"$@\" >> \"$LOG\"")
        self.assertEqual(self.run_tool(self.SETUP).returncode, 0)
        calls = (self.bin / "log").read_text()
        self.assertNotIn("update", calls)
        self.assertTrue(calls.endswith("install --no-install-recommends mold\n"), calls)

    @unittest.skipIf(os.geteuid() != 0, "only root installs without sudo")
    def test_a_stale_index_is_refreshed_once_and_a_dead_one_is_an_error(self):
        self.all_installed_but("mold")
        self.stand_in("apt-get", "echo \"$@\" >> \"$LOG\"; "
                      "case \"$*\" in *update*) ;; *) grep -q update \"$LOG\" ;; esac")
        (self.bin / "grep").symlink_to("/usr/bin/grep")
        self.assertEqual(self.run_tool(self.SETUP).returncode, 0)
        self.assertEqual((self.bin / "log").read_text().count("update"), 1)
        self.stand_in("apt-get", "exit 100")
        self.assertEqual(self.run_tool(self.SETUP).returncode, 5)

    @unittest.skipIf(os.geteuid() != 0, "needs root to become someone else")
    def test_without_root_or_sudo_it_gives_the_command_to_run(self):
        self.all_installed_but("mold")
        self.stand_in("apt-get", "exit 0")
        for name in ("setup", "packages.txt"):
            shutil.copy2(ROOT / "tools" / name, self.bin)
        self.bin.chmod(0o755)
        run = subprocess.run([self.bin / "setup"], env={"PATH": str(self.bin)},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                             user=65534)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn("apt-get install --no-install-recommends mold", run.stderr)


class Test(Stage):
    TEST = str(ROOT / "tools" / "test")

    def in_checkout(self, setup="true", cmake="true", ctest="true", arguments=()):
        """Runs a copy of tools/test in a checkout of its own, with these programs around it."""
        tools, build = self.bin / "checkout" / "tools", self.bin / "checkout" / "build" / "dev"
        for folder in (tools, build):
            folder.mkdir(parents=True, exist_ok=True)
        for name in ("tee", "nproc"):
            (self.bin / name).unlink(missing_ok=True)
            (self.bin / name).symlink_to(f"/usr/bin/{name}")
        script(tools, "setup", f"#!/usr/bin/env bash\n{setup}\n")
        self.stand_in("cmake", cmake)
        self.stand_in("ctest", f"echo \"$@\" >> \"$LOG\"\n{ctest}")
        return self.run_tool(shutil.copy2(self.TEST, tools), *arguments)

    def test_usage_errors(self):
        for arguments in (["--preset", "fast"], ["-k"], ["all"]):
            self.assertEqual(self.run_tool(self.TEST, *arguments).returncode, 2, arguments)

    def test_success_says_how_many_passed_and_what_comes_next(self):
        run = self.in_checkout(ctest="echo '100% tests passed, 0 tests failed out of 12'")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("all 12 tests passed (dev)", run.stdout)
        self.assertIn("next: tools/quickstart", run.stdout)

    def test_failure_names_the_tests_that_failed(self):
        run = self.in_checkout(ctest="""echo '
The following tests FAILED:
\t  2 - wire_test (Failed)
\t 13 - tidy.sizes (Timeout)
Errors while running CTest'; exit 8""")
        self.assertEqual(run.returncode, 1)
        self.assertIn("\n  wire_test\n  tidy.sizes\n", run.stdout)

    def test_each_step_before_the_tests_can_fail(self):
        self.assertEqual(self.in_checkout(setup="exit 4").returncode, 3)
        self.assertEqual(self.in_checkout(cmake="exit 1").returncode, 1)
        self.assertFalse((self.bin / "log").exists())

    def test_the_filter_reaches_ctest_and_an_empty_match_is_an_error(self):
        self.in_checkout(arguments=["-k", "wire"])
        called = (self.bin / "log").read_text()
        self.assertIn("--tests-regex wire", called)
        self.assertIn("--no-tests=error", called)


def result(seconds, reached, share, accuracy=0.874, ratio=1.06):
    return {"ok": True, "seconds": seconds, "time_to_accuracy": {"0.8": 1.0, "0.85": reached},
            "test_accuracy": accuracy, "makespan_ratio": ratio,
            "workers_detail": [{"id": 0, "samples": 10, "share": share, "idle_fraction": 0.5}]}


class CompareRuns(unittest.TestCase):
    def test_the_table_shows_both_runs_and_the_gain(self):
        text = compare_runs.table([result(80.0, 42.0, 0.25), result(40.0, 21.0, 0.30)])
        self.assertRegex(text, r"time to 85% accuracy +42\.0 s +21\.0 s +2\.00 x")
        self.assertRegex(text, r"worker 0: share, idle +25\.0%, 50\.0% +30\.0%, 50\.0%")

    def test_a_target_that_was_missed_gives_no_gain(self):
        text = compare_runs.table([result(80.0, None, 0.25), result(40.0, 21.0, 0.30)])
        self.assertRegex(text, r"time to 85% accuracy +not reached +21\.0 s\n")

    def test_progress_is_told_in_numbers(self):
        event = {"progress": {"iteration": 30, "test_accuracy": 0.81234, "shares": [1], "x": None}}
        self.assertEqual(compare_runs.describe(event), "iteration 30, test_accuracy 0.81234")

    def verdicts(self, plain, adaptive):
        return [line.split(":")[0] for line in compare_runs.checks_of([plain, adaptive])]

    def test_each_promise_is_met_up_to_its_bound(self):
        plain = result(80.0, 42.0, 0.25, accuracy=0.86, ratio=3.7)
        adaptive = result(40.0, 21.0, 0.30, ratio=1.15)
        self.assertEqual(self.verdicts(plain, adaptive), ["met"] * 3)

    def test_each_promise_can_be_broken_alone(self):
        plain, adaptive = result(80.0, 42.0, 0.25, ratio=3.7), result(40.0, 21.0, 0.30)
        for number, pairs in enumerate((
                ((plain | {"test_accuracy": 0.8599}, adaptive),
                 (plain, adaptive | {"test_accuracy": 0.8599})),
                ((result(80.0, 41.9, 0.25), adaptive), (result(80.0, None, 0.25), adaptive)),
                ((plain, adaptive | {"makespan_ratio": 1.151}),
                 (plain, adaptive | {"makespan_ratio": None})))):
            expected = ["not met" if row == number else "met" for row in range(3)]
            for pair in pairs:
                self.assertEqual(self.verdicts(*pair), expected, pair)

    def compare(self, program):
        with tempfile.TemporaryDirectory() as folder:
            slime = script(folder, "slime", f"#!/usr/bin/env bash\n{program}\n")
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = compare_runs.main([str(slime), "job.toml"])
            return code, out.getvalue(), err.getvalue()

    def test_two_good_runs_end_in_a_table(self):
        final = json.dumps(result(80.0, 42.0, 0.25))
        code, out, err = self.compare(f"echo '{{\"iteration\": 3}}'; echo '{final}'")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("--set sync.mode=bsp --set balance.policy=equal "
                      "--set balance.fast_reassignment=false", out)
        self.assertIn("--set sync.mode=a_dsp --set balance.policy=adapt_fr", out)
        self.assertIn("1.00 x", out)
        self.assertIn("\nmet: both runs", out)
        self.assertIn("\nnot met: a_dsp, adapt_fr reaches 85%", out)

    def test_a_failed_run_is_a_failure(self):
        for program in ("exit 7", "true", "echo '{\"ok\": false}'", "echo text"):
            code, _, err = self.compare(program)
            self.assertEqual(code, 1, program)
            self.assertIn("bsp, equal", err)


if __name__ == "__main__":
    unittest.main()
