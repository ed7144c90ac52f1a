"""Where the commands of a document are typed: a copy of the checkout, in which they end in seconds
and reach nothing outside.

Commands are typed as they stand; what differs is around them. The environment makes every job a
small one. Stand-ins on PATH run what they stand for, and:
- slime knows the address and the token that the document calls HOST:PORT and FILE, listens on
  loopback instead of everywhere, and `start` stays in the background once it has come up;
- cmake --build builds where the tests were built, and slime-bench is quick;
- sudo changes no user, tools/deploy/install installs below a folder, and systemctl starts and stops
  what was installed there;
- tools/test and tools/quickstart only show their help, for this runs inside the one, and the other
  takes minutes.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time

BLOCK_SECONDS = 300

SLIME = r"""
words=()
starts=false
for word in "$@"; do
  word=${word//HOST:PORT/$(cat "$STAGE/address" 2>/dev/null || echo HOST:PORT)}
  word=${word//0.0.0.0:PORT/127.0.0.1:0}
  word=${word/#\/run\//$STAGE/run/}
  [[ $word != FILE ]] || word=$STAGE/token
  words+=("$word")
done
[[ ${1:-} != start || " $* " == *" --help "* ]] || starts=true
$starts || exec "$PROGRAMS/slime" "${words[@]}"
place=$(mktemp --directory "$STAGE/start-XXXXXX")
echo "slime $*" >"$place/command"
touch "$place/out"
setsid bash -c '
  "${@:2}" >"$1/out" 2>&1 &
  echo $! >"$1/pid"
  wait $!
  echo $? >"$1/code"' - "$place" "$PROGRAMS/slime" "${words[@]}" </dev/null >/dev/null 2>&1 &
for ((i = 0; i < 200; ++i)); do
  address=$(sed -n 's/.* listens at tcp://p' "$place/out" | head -n 1)
  if [[ -n $address ]]; then
    [[ " $* " != *" --head "* ]] || echo "$address" >"$STAGE/address"
    exit 0
  fi
  [[ ! -s $place/code ]] || break
  sleep 0.1
done
cat "$place/out" >&2
echo "it did not come up: slime $*" >&2
exit 1
"""

STAND_INS = {
    "slime": SLIME,
    "slime-bench": 'exec "$PROGRAMS/slime-bench" "$@" --quick\n',
    "cmake": """
[[ ${1:-} == --build && ${2:-} == --preset ]] || exec "$CMAKE" "$@"
exec "$CMAKE" --build "$BUILD" "${@:4}"
""",
    "sudo": '[[ $1 != -u ]] || shift 2\nexec "$@"\n',
    "systemctl": """
unit=${!#}
test -f "$STAGE/root/etc/systemd/system/$unit.service"
access=(--token-file "$STAGE/root/etc/slime/token" --session "/run/$unit")
case "$*" in
  "enable --now slime-head") slime start --head "${access[@]}" ;;
  "enable --now slime-node") slime start --join tcp:HOST:PORT "${access[@]}" ;;
  "status "*) test -d "$STAGE/run/$unit" ;;
  "stop slime-head")
    slime stop --session /run/slime-node
    slime stop --session /run/slime-head
    ;;
  *)
    echo "no stand-in for systemctl $*" >&2
    exit 2
    ;;
esac
""",
}

IN_CHECKOUT = {
    "tools/test": 'exec "$CHECKOUT/tools/test" --help\n',
    "tools/quickstart": 'exec "$CHECKOUT/tools/quickstart" --help\n',
    "tools/deploy/install":
        'exec "$CHECKOUT/tools/deploy/install" "$@" --root "$STAGE/root" '
        '--program "$PROGRAMS/slime"\n',
}


def write_script(path, text):
    path.unlink(missing_ok=True)
    path.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{text}")
    path.chmod(0o755)


def write_data(folder, name, samples):
    """A data set of 8 by 8 points in ten classes, in the IDX format; its value as a setting."""
    images, labels = folder / f"{name}-images", folder / f"{name}-labels"
    points = bytes((sample % 10 * 25 + point) % 256
                   for sample in range(samples) for point in range(64))
    images.write_bytes(struct.pack(">4I", 0x803, samples, 8, 8) + points)
    labels.write_bytes(struct.pack(">2I", 0x801, samples) +
                       bytes(sample % 10 for sample in range(samples)))
    return f'["{images}", "{labels}"]'


class Stage:
    """One document's. `end` must be called; nothing runs afterwards."""

    def __init__(self, tree, folder, programs):
        self.folder = pathlib.Path(folder)
        self.checkout = self.folder / "checkout"
        for name in tree.files:
            target = self.checkout / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree.root / name, target)
            if name in IN_CHECKOUT:
                write_script(target, IN_CHECKOUT[name])
        for words in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run(["git", *words], cwd=self.checkout, check=True)
        stage = self.folder / "stage"
        for name in ("bin", "run"):
            (stage / name).mkdir(parents=True, mode=0o700)
        for name, text in STAND_INS.items():
            write_script(stage / "bin" / name, text)
        (stage / "token").write_text("secret\n")
        self.stage = stage
        small = {"WORKERS": "2", "EPOCHS": "1", "BATCH": "64", "MODEL_LAYERS": '["dense 10"]',
                 "CHECKPOINT_EVERY_ITERATIONS": "2", "EVALUATE_EVERY_ITERATIONS": "2",
                 "DATA_TRAIN": write_data(stage, "train", 512),
                 "DATA_TEST": write_data(stage, "test", 64)}
        self.environment = os.environ | {f"SLIME_{key}": value for key, value in small.items()} | {
            "PATH": f"{stage / 'bin'}:{programs}:{os.environ['PATH']}",
            "XDG_RUNTIME_DIR": str(stage / "run"), "STAGE": str(stage),
            "PROGRAMS": str(programs), "BUILD": str(pathlib.Path(programs).parent),
            "CMAKE": shutil.which("cmake") or "cmake", "CHECKOUT": str(tree.root)}

    def run(self, commands):
        """None when `commands` succeed; otherwise what went wrong."""
        log = self.folder / "log"
        # Not a pipe: what stays in the background would keep it open.
        with log.open("w") as output:
            run = subprocess.Popen(["bash", "-euo", "pipefail", "-c", commands], cwd=self.checkout,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
            try:
                code = run.wait(timeout=BLOCK_SECONDS)
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                return f"did not end within {BLOCK_SECONDS} s:\n{log.read_text()}"
        return f"ended with {code}:\n{log.read_text()}" if code else None

    def end(self, within):
        """What of the document's still runs after so many seconds or has ended badly; it is killed.
        """
        found = []
        deadline = time.monotonic() + within
        for place in sorted(self.stage.glob("start-*")):
            code, command = place / "code", (place / "command").read_text().strip()
            while not (code.exists() and code.read_text()) and time.monotonic() < deadline:
                time.sleep(0.05)
            if not (code.exists() and code.read_text()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int((place / "pid").read_text()), signal.SIGKILL)
                found.append(f"nothing in the document ends `{command}`")
            elif code.read_text().strip() != "0":
                found.append(f"`{command}` ended with {code.read_text().strip()}:\n"
                             f"{(place / 'out').read_text()}")
        return found
