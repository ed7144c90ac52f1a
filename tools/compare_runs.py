"""Trains one job twice, in lock step and with A-DSP, and prints what the difference is worth."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

TARGET = 0.85
PROGRESS_SECONDS = 5

# What the second run is to be worth, on an otherwise idle machine.
ACCURACY_MIN = 0.86
GAIN_MIN = 2.0
RATIO_MAX = 1.15

# Title of the column, and what it changes in the job file. Plain bulk synchronous training moves no
# work between workers inside an iteration, so the first run may not either.
RUNS = (
    ("bsp, equal, no reassignment",
     ("sync.mode=bsp", "balance.policy=equal", "balance.fast_reassignment=false")),
    ("a_dsp, adapt_fr", ("sync.mode=a_dsp", "balance.policy=adapt_fr")),
)


class RunFailed(Exception):
    """A run did not end as it should; the text says which and how."""


def command(slime, job, settings, folder):
    sets = [*settings, f"checkpoint.directory={folder}"]
    return [str(slime), "train", str(job), *(part for name in sets for part in ("--set", name)),
            "--json"]


def describe(event):
    """One line of what a run tells on its way: its plain numbers, in its own words."""
    progress = event.get("progress", event)
    return ", ".join(f"{key} {value:.6g}" for key, value in progress.items()
                     if isinstance(value, (int, float)))


def train(title, arguments, clock=time.monotonic):
    """The run's final JSON object. What it says on stderr goes to the terminal."""
    print(f"\n{title}: {' '.join(arguments)}", flush=True)
    final, shown = None, clock()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                event = None
            if not isinstance(event, dict):
                print(f"  {line.rstrip()}", flush=True)
            elif "ok" in event:
                final = event
            elif clock() - shown >= PROGRESS_SECONDS:
                shown = clock()
                print(f"  {describe(event)}", flush=True)
    if run.returncode != 0:
        raise RunFailed(f"{title}: the run ended with {run.returncode}: {final or 'no result'}")
    if not final or final["ok"] is not True:
        raise RunFailed(f"{title}: the run gave no result")
    return final


def seconds_to_target(result):
    """Seconds until the test accuracy reached TARGET; None when it never did."""
    for accuracy, seconds in result["time_to_accuracy"].items():
        if abs(float(accuracy) - TARGET) < 1e-9:
            return seconds
    return None


def times_faster(slow, fast):
    return f"{slow / fast:.2f} x" if slow and fast else ""


def rows_of(results):
    """Rows of the table: name, one cell a run, and the gain."""
    reached = [seconds_to_target(result) for result in results]
    whole = [result["seconds"] for result in results]
    yield (f"time to {TARGET:.0%} accuracy",
           *(f"{seconds:.1f} s" if seconds else "not reached" for seconds in reached),
           times_faster(*reached))
    yield ("whole run", *(f"{seconds:.1f} s" for seconds in whole), times_faster(*whole))
    yield ("final test accuracy", *(f"{result['test_accuracy']:.2%}" for result in results), "")
    ratios = [result["makespan_ratio"] for result in results]
    yield ("time over ideal time",
           *(f"{ratio:.2f}" if ratio else "unknown" for ratio in ratios), "")
    details = [{worker["id"]: worker for worker in result["workers_detail"]} for result in results]
    for worker in sorted(details[0].keys() | details[1].keys()):
        yield (f"worker {worker}: share, idle",
               *(f"{found[worker]['share']:.1%}, {found[worker]['idle_fraction']:.1%}"
                 if worker in found else "gone" for found in details), "")


def table(results):
    rows = [("", *(title for title, _ in RUNS), "gain"), *rows_of(results)]
    name_width, *widths = (max(len(row[column]) for row in rows) for column in range(4))
    lines = []
    for name, *cells in rows:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths))
        lines.append("  ".join([name.ljust(name_width), *padded]).rstrip())
    return "\n".join(lines)


def checks_of(results):
    """Lines that say of each promise whether these two runs met it, and what was measured."""
    accuracies = [result["test_accuracy"] for result in results]
    slow, fast = (seconds_to_target(result) for result in results)
    gain = slow / fast if slow and fast else None
    ratio = results[1]["makespan_ratio"]
    promises = (
        (f"both runs end with at least {ACCURACY_MIN:.0%}", min(accuracies) >= ACCURACY_MIN,
         " and ".join(f"{accuracy:.2%}" for accuracy in accuracies)),
        (f"{RUNS[1][0]} reaches {TARGET:.0%} at least {GAIN_MIN:g} times sooner",
         gain is not None and gain >= GAIN_MIN, f"{gain:.3f} x" if gain else "not reached"),
        (f"its time over ideal time is at most {RATIO_MAX:g}",
         ratio is not None and ratio <= RATIO_MAX, f"{ratio:.3f}" if ratio else "unknown"),
    )
    for promise, met, measured in promises:
        yield f"{'met' if met else 'not met'}: {promise} ({measured})"


def main(arguments=None):
    """Exit codes: 0 both runs reached the target, 1 one failed or never did, 130 interrupted.

    A promise that was not met is told, not punished: a busy machine is no failure of the program.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slime", type=pathlib.Path, help="the program to run")
    parser.add_argument("job", type=pathlib.Path, help="the job file")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="slime-quickstart-") as folder:
        try:
            results = [train(title, command(chosen.slime, chosen.job, settings,
                                            pathlib.Path(folder) / str(number)))
                       for number, (title, settings) in enumerate(RUNS)]
        except (RunFailed, OSError) as failure:
            print(f"quickstart: {failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            # The run got the same signal and has ended by now.
            return 130
    print(f"\n{table(results)}\n", *checks_of(results), sep="\n")
    if not all(seconds_to_target(result) for result in results):
        print(f"quickstart: a run did not reach {TARGET:.0%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
