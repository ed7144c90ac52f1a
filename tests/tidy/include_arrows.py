"""Includes run one way: schemas <- runtime <- {trainer, storage} <- actors <- tools."""

import re

import house

RULE = "a folder includes only what stands below it (ARCHITECTURE.md, \"Who may include whom\")"

# The longest matching folder counts.
MAY_INCLUDE = {
    "schemas": ("schemas",),
    "runtime/base": ("runtime/base",),
    "runtime/wire": ("runtime/base", "runtime/wire", "schemas"),
    "runtime": ("runtime", "schemas"),
    "trainer": ("runtime/base", "trainer"),
    "storage": ("runtime/base", "runtime/wire", "schemas", "storage"),
    "actors": ("schemas", "runtime", "trainer", "storage", "actors"),
    "tools": ("schemas", "runtime", "trainer", "storage", "actors", "tools"),
    "tests": house.TOP_FOLDERS,
}

# Where each library may be seen: folder, and whether in headers too.
LIBRARIES = (
    (re.compile(r"caf/"), (("runtime/actor", False), ("runtime/link", True),
                           ("runtime/cluster", True), ("tests", True), ("tools/bench", True))),
    (re.compile(r"rocksdb/"), (("storage", False), ("tests/storage", False),
                               ("tools/bench", False))),
    (re.compile(r"(cblas|oneapi/|dnnl|cuda|cublas)"), (("trainer/compute", False),
                                                       ("tests/trainer/compute", False),
                                                       ("tools/bench", False))),
    (re.compile(r"prometheus/"), (("runtime/metrics", False),)),
    (re.compile(r"httplib\.h"), (("runtime/metrics", False), ("tests", True))),
    (re.compile(r"minizip/"), (("tools/slime/exchange", False),
                               ("tests/tools/slime/exchange", False))),
    (re.compile(r"(capnp|kj)/"), (("runtime", True), ("storage", True), ("actors", True),
                                  ("tools", True), ("tests", True))),
)

STANDARD = re.compile(r"[a-z_]+$")


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(name):
    layers = [layer for layer in MAY_INCLUDE if within(name, layer)]
    return max(layers, key=len, default=None)


def problem(name, target, quoted):
    layer = layer_of(name)
    if layer is None:
        return "code stands outside the folders of the house"
    if quoted and not target.startswith(tuple(f"{top}/" for top in house.TOP_FOLDERS)):
        return f'"{target}" is not a path from the root of the house'
    if target.startswith(tuple(f"{top}/" for top in house.TOP_FOLDERS)):
        if not any(within(target, folder) for folder in MAY_INCLUDE[layer]):
            return f"{layer}/ may not include {target}"
        return None
    if layer == "runtime/base" and not STANDARD.match(target):
        return f"runtime/base/ includes only the standard library, not <{target}>"
    for pattern, places in LIBRARIES:
        allowed = any(within(name, folder) and (headers or not name.endswith(".hpp"))
                      for folder, headers in places)
        if pattern.match(target) and not allowed:
            return f"<{target}> may not be included here"
    return None


def check(tree):
    found = []
    for name in tree.named(*house.CODE):
        lines = house.without_comments(tree.text(name), keep_strings=True).split("\n")
        includes = []
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            includes.append(match.group(2))
            text = problem(name, match.group(2), match.group(1) == '"')
            if text:
                found.append(house.Violation(name, number, text))
        own = name[:-len(".cpp")] + ".hpp"
        if name.endswith(".cpp") and tree.has(own) and includes[:1] != [own]:
            found.append(house.Violation(name, 1, f"the first include must be {own}"))
        if name.endswith(".hpp") and not tree.text(name).startswith("#pragma once\n"):
            found.append(house.Violation(name, 1, "a header starts with #pragma once"))
    return found


def header(include):
    return f"#pragma once\n#include {include}\n"


BAD = (
    {"trainer/sync/mode.hpp": header('"runtime/wire/words.hpp"')},
    {"trainer/sync/mode.hpp": header("<capnp/message.h>")},
    {"runtime/base/ids.hpp": header('"runtime/wire/words.hpp"')},
    {"runtime/base/ids.hpp": header("<spdlog/spdlog.h>")},
    {"runtime/actor/ref.hpp": header("<caf/actor.hpp>")},
    {"runtime/simulation/world.cpp": "#include <caf/actor.hpp>\n"},
    {"actors/system/agent.cpp": "#include <caf/actor.hpp>\n"},
    {"storage/store.hpp": header("<rocksdb/db.h>")},
    {"storage/store.hpp": header('"runtime/actor/ref.hpp"')},
    {"actors/training/worker.cpp": "#include <cblas.h>\n"},
    {"actors/training/worker.cpp": "#include <rocksdb/db.h>\n"},
    {"actors/training/worker.cpp": '#include "tools/slime/main.hpp"\n'},
    {"tools/slime/main.cpp": '#include "tests/support/sim.hpp"\n'},
    {"trainer/model/layer.cpp": '#include "layer.hpp"\n'},
    {"runtime/metrics/server.hpp": header("<prometheus/exposer.h>")},
    {"runtime/link/peer.cpp": "#include <prometheus/counter.h>\n"},
    {"tools/slime/start.cpp": "#include <httplib.h>\n"},
    {"tools/slime/start.cpp": "#include <minizip/zip.h>\n"},
    {"extras/thing.cpp": "#include <vector>\n"},
    {"trainer/a.hpp": header("<vector>"),
     "trainer/a.cpp": '#include <vector>\n#include "trainer/a.hpp"\n'},
    {"trainer/a.hpp": "#include <vector>\n"},
)
GOOD = (
    {"runtime/actor/host.cpp": '#include <caf/actor.hpp>\n#include "schemas/ids.capnp.h"\n'},
    {"actors/training/worker.cpp": '#include "trainer/sync/modes.hpp"\n// "tools/x.hpp"\n'},
    {"storage/store.cpp": "#include <rocksdb/db.h>\n", "storage/store.hpp.in": ""},
    {"runtime/base/ids.hpp": header("<cstdint>")},
    {"runtime/metrics/server.cpp": "#include <prometheus/exposer.h>\n#include <httplib.h>\n"},
)

if __name__ == "__main__":
    house.main(RULE, check, BAD, GOOD)
