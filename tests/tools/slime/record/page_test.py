"""The page of `slime report`, as a parser and a browser see it.

usage: page_test.py parse|render SLIME
Exit codes: 0 as it should be, 1 not, 77 there is no browser to render it.
"""

import collections
import html.parser
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

WORKERS = 3
GROUPS = 40  # Of each worker.
HOSTILE = "<script>alert('x')</script><img src=http://x.test/y onerror=\"z\">&amp;"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VOID = {"meta", "br", "img", "link", "input", "hr"}
COMPUTE = (0x2F, 0x7D, 0x4F)  # What computing is drawn in.


def record(path, name):
    """A made-up run, as the program would write it."""
    lines = [{"header": {
        "formatVersion": 1, "slimeVersion": HOSTILE, "run": "12", "startedUs": "1780000000000000",
        "job": {"name": name, "workers": WORKERS, "shards": 1, "targetAccuracies": [0.8],
                "sync": {"mode": HOSTILE}, "balance": {"policy": "adapt_fr"}}}}]

    def entry(seconds, **what):
        lines.append({"entry": {"runSeconds": seconds, **what}})

    entry(0, started={"term": "1", "iteration": "0", "iterations": str(GROUPS)})
    for worker in range(WORKERS):
        entry(0, joined={"worker": worker})
    for number in range(GROUPS):
        for worker in range(WORKERS):
            entry(number + worker / 10 + 1, group={
                "worker": worker, "iteration": str(number), "samples": 64, "lead": worker,
                "computeSeconds": 0.7, "fetchSeconds": 0.1, "pushSeconds": 0.2,
                "waitSeconds": 0.3})
        if number % 10 == 0:
            seconds = number + 1.5
            entry(seconds, shares={"iteration": str(number), "workers": [
                {"worker": worker, "blocks": worker + number} for worker in range(WORKERS)]})
            entry(seconds, evaluation={"iteration": str(number), "samples": str(number * 192),
                                       "accuracy": number / GROUPS, "loss": "NaN"})
    entry(GROUPS + 1, gone={"worker": 1, "reason": HOSTILE})
    entry(GROUPS + 1, rolledBack={"fromIteration": "9", "toIteration": "0", "reason": HOSTILE})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(text + '{"entry":{"runSec', encoding="utf-8")


def write_page(program, folder):
    records = [folder / "one.jsonl", folder / "two.jsonl"]
    for path, name in zip(records, ("plain", HOSTILE)):
        record(path, name)
    page = folder / "page.html"
    subprocess.run([program, "report", *records, "--output", page], check=True,
                   stdout=subprocess.DEVNULL)
    return page


class Page(html.parser.HTMLParser):
    """Counts what is in each drawing and collects what is wrong."""

    def __init__(self):
        super().__init__()
        self.open, self.drawings, self.wrong, self.titles = [], [], [], []

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name, value in attributes:
            refers = name in ("src", "href", "xlink:href", "srcset", "action", "data", "poster")
            if refers or name.startswith("on") or re.search(r"url\(|https?:|//", value or ""):
                self.wrong.append(f"<{tag} {name}={value!r}>")
        if tag in ("script", "link", "img", "iframe", "object", "embed", "image", "use"):
            self.wrong.append(f"<{tag}>")
        if tag == "svg":
            self.drawings.append((names.get("class"), collections.Counter()))
        elif "svg" in self.open:
            kinds = (names.get("class") or "").split()
            self.drawings[-1][1].update([tag] + [f"{tag}.{kind}" for kind in kinds])
            if "d" in names and not re.fullmatch(r"[MLHVhvz0-9. -]*", names["d"]):
                self.wrong.append(f"path {names['d'][:80]!r}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another element")

    def handle_data(self, data):
        if "style" in self.open and re.search(r"@import|url\(|https?:", data):
            self.wrong.append("the style sheet refers to something")
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)


def check_parsed(text):
    page = Page()
    page.feed(text)
    page.close()
    assert not page.wrong, page.wrong
    assert not page.open, page.open
    assert page.titles == ["Side by side", "plain", HOSTILE], page.titles
    assert "default-src 'none'" in text
    assert [kind for kind, _ in page.drawings] == 2 * (["timeline"] + 4 * ["chart"])
    for number in (0, 5):
        timeline = page.drawings[number][1]
        for kind in ("compute", "wait", "fetch", "push"):
            assert timeline[f"path.{kind}"] == WORKERS, (kind, timeline)
        for kind in ("started", "joined", "gone", "rolledback"):
            assert timeline[f"path.{kind}"] == 1, (kind, timeline)
        assert timeline["path.mark"] == 4, timeline
        lines = [page.drawings[number + chart][1]["path.line"] for chart in (1, 2, 3, 4)]
        assert lines == [WORKERS, WORKERS, 1, 1], lines
        levels = [page.drawings[number + chart][1]["path.level"] for chart in (3, 4)]
        assert levels == [1, 1], levels
    computed = re.findall(r'class="compute" d="([^"]*)"', text)
    assert [path.count("M") for path in computed] == 2 * WORKERS * [GROUPS]
    assert "not whole" in text and "The record has no end" in text


def pixels(path):
    """The colours of a screenshot (PNG, eight bits a channel, RGB or RGBA), each with its count."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "the screenshot is no PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and colour in (2, 6), "the screenshot has other colours"
        elif kind == b"IDAT":
            packed += chunk
        at += length + 12
    step = 4 if colour == 6 else 3
    raw, row, found = zlib.decompress(packed), bytearray(width * step), collections.Counter()
    for line in range(height):
        start = line * (width * step + 1)
        row = unfiltered(raw[start], raw[start + 1:start + 1 + width * step], row, step)
        found.update(zip(row[0::step], row[1::step], row[2::step]))
    return found


def unfiltered(kind, line, above, step):
    """One line of a PNG image (its specification, section 9)."""
    row = bytearray(line)
    for i, value in enumerate(line):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        guess = (0, left, above[i], (left + above[i]) // 2)
        if kind == 4:
            nearest = left + above[i] - corner
            row[i] = (value + min((left, above[i], corner),
                                  key=lambda one: abs(nearest - one))) & 0xFF
        else:
            row[i] = (value + guess[kind]) & 0xFF
    return row


def check_rendered(browser, page, folder):
    picture = folder / "page.png"
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                    f"--user-data-dir={folder / 'profile'}", "--hide-scrollbars",
                    "--window-size=1100,1600", f"--screenshot={picture}", page.as_uri()],
                   check=True, timeout=100, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = pixels(picture)
    assert len(found) > 20, f"only {len(found)} colours: the page is blank"
    assert found[COMPUTE] > 200, f"{found[COMPUTE]} points of computing"


def main():
    what, program = sys.argv[1:]
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if what == "render" and not browser:
        print("skipped: there is no Chromium on the PATH")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = write_page(program, folder)
        if what == "parse":
            check_parsed(page.read_text(encoding="utf-8"))
        else:
            check_rendered(browser, page, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
