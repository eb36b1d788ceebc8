#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""ci-lines.py FILE shard NUMBER | FILE merge | FILE shards: what a CI's file (GitHub's or GitLab's) does with the shards of a run.

The first two print the lines with verbatim that a shell runs in that job, the third one the number of shards. It is an error if
the merge does not come after all shards, whatever became of them.
"""
import re
import sys

import yaml


def jobs_of(document):
    return document.get("jobs", document)


def shards_of(job):
    if "parallel" in job:
        return job["parallel"]
    numbers = job["strategy"]["matrix"]["shard"]
    if numbers != list(range(1, len(numbers) + 1)):
        sys.exit("the matrix has the shards %s" % numbers)
    return len(numbers)


def lines_of(job):
    return job.get("script") or [step["run"] for step in job["steps"] if "run" in step]


def main():
    name, wanted = sys.argv[1:3]
    with open(name, encoding="utf-8") as f:
        jobs = jobs_of(yaml.safe_load(f))
    shard, merge = jobs["shard"], jobs["merge"]
    needs = merge["needs"] if isinstance(merge["needs"], list) else [merge["needs"]]
    always = merge.get("if") == "always()" or merge.get("when") == "always"
    if needs != ["shard"] or not always:
        sys.exit("the merge does not come after all shards")
    if wanted == "shards":
        print(shards_of(shard))
        return
    values = {"matrix.shard": sys.argv[3] if len(sys.argv) > 3 else "", "strategy.job-total": str(shards_of(shard))}
    for line in lines_of(jobs[wanted]):
        print(re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: values[found.group(1)], line))


main()
