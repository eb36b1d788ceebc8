#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the events of two runs with 10,000 variants: two-runs.py BEFORE AFTER."""

import json
import sys

PLACE = {"lane": "uml", "accelerator": "none", "rdma_core": "44.0", "target": "system"}
EXTRA = "<img src=x onerror=alert(1)>"
# A text may leave its place by these: ends of elements and comments, control characters, other line ends.
HOSTILE = EXTRA + "</script><script>alert(2)</script><!--]]>\u001b[31m\u2028\u202e\r\n'\"`${alert(3)}"


def variant(out, number, name, verdict, clause, steps, fails=(), took=3, left=()):
    head = {"variant": number, "name": name}
    out({"event": "scenario", **head, "id": name, "title": f"what {name} states", "path": f"scenarios/{name}.yaml",
         "clauses": [clause]})
    for index, (host, call) in enumerate(steps):
        out({"event": "step", **head, "line": 5 + index, "col": 5, "host": host, "call": call, "index": index,
             "args": {"id": "c_id", "port": 7471}, "result": {"return": 0}, "text": "success", "us": 12, "ok": True})
    for index, host, call, expected, actual in fails:
        out({"event": "fail", **head, "line": 6, "col": 9, "host": host, "call": call, "index": index,
             "field": "return", "expected": expected, "actual": actual})
    if fails:
        out({"event": "log", **head, "host": "a", "text": "event RDMA_CM_EVENT_REJECTED\n"})
    out({"event": "verdict", **head, "verdict": verdict, "reason": None if verdict == "PASS" else "it failed",
         "took_ms": took, "own_us": 100, **({"left": left} if left else {})})


def hostile(out, number):
    """A variant whose every text is hostile."""
    head = {"variant": number, "name": EXTRA}
    out({"event": "scenario", **head, "id": HOSTILE, "title": HOSTILE, "path": HOSTILE, "clauses": ["C-MANY", HOSTILE]})
    out({"event": "step", **head, "line": 5, "col": 5, "host": HOSTILE, "call": HOSTILE, "index": 0, "args": {HOSTILE: HOSTILE},
         "result": {HOSTILE: HOSTILE}, "text": HOSTILE, "us": 12, "ok": True, "fragment": HOSTILE, "round": HOSTILE})
    out({"event": "fail", **head, "line": 6, "col": 9, "host": HOSTILE, "call": HOSTILE, "index": 0, "field": HOSTILE,
         "expected": HOSTILE, "actual": HOSTILE})
    out({"event": "kernel", **head, "level": 4, "text": HOSTILE, "bad": True, "known": HOSTILE})
    out({"event": "log", **head, "host": HOSTILE, "text": HOSTILE})
    out({"event": "verdict", **head, "verdict": "XFAIL", "reason": HOSTILE, "took_ms": 3, "own_us": 100, "findings": [HOSTILE],
         "left": [HOSTILE]})


def write(path, kernel, variants):
    place = {**PLACE, "kernel": kernel, "target": HOSTILE}
    counts = dict.fromkeys(("PASS", "FAIL", "XFAIL", "XPASS", "SKIP", "INVALID", "ERROR"), 0)
    with open(path, "w", encoding="utf-8") as file:
        def out(event):
            file.write(json.dumps(event, separators=(",", ":")) + "\n")

        out({"event": "begin", **place, "total": len(variants)})
        for number, (name, verdict, *rest) in enumerate(variants):
            if name == EXTRA:
                hostile(out, number)
            else:
                variant(out, number, name, verdict, *rest)
            counts[verdict] += 1
        out({"event": "kernel", "name": None, "level": 4, "text": "WARNING: late", "bad": True, "known": "rxe-late"})
        out({"event": "summary", **place, "layout": "netns", "counts": counts,
             "total": len(variants), "took_ms": 1000, "exit": 1})


def main():
    talk = [("b", "listen"), ("a", "connect")]
    many = [(f"area/many[{i}]", "PASS", "C-MANY", talk * 5) for i in range(9995)]
    many.append(("area/many[9999]", "PASS", "C-MANY", talk))
    broken = ("area/broken", "FAIL", "C-NEW", talk, [(0, "b", "listen", "0", "-1"), (1, "a", "connect", "0", "EINVAL (22)")])
    slow = ("area/slow", "PASS", "C-MANY", talk, (), 400)
    write(sys.argv[1], "6.1", [("area/old", "FAIL", "C-OLD", talk), ("area/broken", "PASS", "C-NEW", talk),
                               ("area/gone", "PASS", "C-NEW", talk), (slow[0], *slow[1:4]),
                               (EXTRA, "XFAIL")] + many)
    fresh = ("area/fresh", "PASS", "C-NEW", talk, (), 3, ["host a has an additional interface: br5"])
    write(sys.argv[2], "7.3", [("area/old", "PASS", "C-OLD", talk), broken, fresh,
                               slow, (EXTRA, "XFAIL")] + many)


main()
