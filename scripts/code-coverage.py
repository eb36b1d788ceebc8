#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""code-coverage.py COUNTED FACTS: prints a page with the counts of gcov.

COUNTED holds a folder for each start of a kernel; in it are .gcda files below
kernel/ and programs/, at the paths of the objects that they belong to. FACTS is
a line that says what was measured.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

# The areas of the page: a heading, and the begin or the names of the source
# files.
AREAS = (
    ("rxe in the kernel", "drivers/infiniband/sw/rxe/", ()),
    ("the RDMA core in the kernel", "drivers/infiniband/core/", ("cma", "cm", "verbs", "uverbs")),
    ("librdmacm", "librdmacm/", ("cma", "addrinfo", "acm", "indexer", "rsocket")),
    ("libibverbs", "libibverbs/", ()),
    ("the rxe provider", "providers/rxe/", ()),
)


def place_of(path):
    """The area of a source file and its name there, or None."""
    for title, folder, names in AREAS:
        if not path.endswith(".c") or "/" + folder not in "/" + path:
            continue
        name = path.rsplit(folder, 1)[1]
        stem = name[:-2]
        if "/" in name:
            continue
        if not names or stem in names or ("uverbs" in names and stem.startswith("uverbs")):
            return title, name
    return None


class File:
    """How often each line and function of a source file was reached."""

    def __init__(self):
        self.lines = collections.Counter()
        self.functions = collections.Counter()
        self.starts = {}


def read(gcda, gcno, files):
    """Add the counts of one .gcda file."""
    with tempfile.TemporaryDirectory() as work:
        name = os.path.basename(gcda)
        os.symlink(os.path.abspath(gcda), os.path.join(work, name))
        os.symlink(gcno, os.path.join(work, name[:-5] + ".gcno"))
        out = subprocess.run(["gcov", "--json-format", "--stdout", name], cwd=work,
                             capture_output=True, check=False).stdout
    for line in out.splitlines():
        for one in json.loads(line)["files"]:
            place = place_of(one["file"])
            if not place:
                continue
            f = files[place]
            for entry in one["lines"]:
                f.lines[entry["line_number"]] += entry["count"]
            for entry in one["functions"]:
                f.functions[entry["name"]] += entry["execution_count"]
                f.starts[entry["name"]] = entry["start_line"]


def collect(counted):
    files = collections.defaultdict(File)
    for folder, _, names in os.walk(counted):
        for name in sorted(names):
            if not name.endswith(".gcda"):
                continue
            # COUNTED/START/kernel|programs/PATH
            path = os.path.relpath(os.path.join(folder, name), counted).split("/", 2)[2]
            gcno = "/" + path[:-5] + ".gcno"
            if os.path.exists(gcno):
                read(os.path.join(folder, name), gcno, files)
    return files


def reached(counter):
    return sum(1 for n in counter.values() if n), len(counter)


def row(name, lines, functions):
    return "| %s | %d of %d (%d%%) | %d of %d |" % (
        name, *lines, 100 * lines[0] // max(lines[1], 1), *functions)


def print_area(title, files):
    mine = sorted((place[1], f) for place, f in files.items() if place[0] == title)
    if not mine:
        return
    print("\n## %s\n\n| file | lines | functions |\n|---|---|---|" % title)
    total = [0, 0, 0, 0]
    for name, f in mine:
        lines, functions = reached(f.lines), reached(f.functions)
        print(row(name, lines, functions))
        total = [a + b for a, b in zip(total, lines + functions)]
    print(row("all", total[:2], total[2:]))
    print("\nReached by no scenario:\n")
    for name, f in mine:
        none = sorted((f.starts[fn], fn) for fn, n in f.functions.items() if not n)
        if none:
            print("- %s: %s" % (name, ", ".join("`%s`" % fn for _, fn in none)))


def main():
    files = collect(sys.argv[1])
    if not files:
        sys.exit("code-coverage: nothing was counted in " + sys.argv[1])
    print("# The code under test that the scenarios reach\n")
    print("Made by `scripts/code-coverage`; do not edit. " + sys.argv[2])
    print("\nA line counts if any scenario executed it once. The lines that no scenario reaches are the map for\n"
          "further scenarios; some of them need hardware or a fault that rxe cannot have.")
    for title, _, _ in AREAS:
        print_area(title, files)


main()
