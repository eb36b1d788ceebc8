# SPDX-License-Identifier: BSD-2-Clause
"""A fixture for pytest: commands on hosts with RDMA devices. Copy this file beside your tests.

on_hosts(a="./server", b="./client a") starts the commands, waits for their end and returns what they printed.
The test is skipped where there is no place to run in, and fails with the report of verbatim exec if a command fails.
Each call has hosts of its own, so tests may run at the same time.
"""
import os
import shutil
import subprocess

import pytest

# The exit status that verbatim exec gets for "no place to run in"; no command of a test may end with it.
NO_PLACE = 199


@pytest.fixture
def on_hosts(tmp_path):
    def run(*options, timeout=60, **commands):
        program = os.environ.get("VERBATIM") or shutil.which("verbatim")
        if not program:
            pytest.skip("verbatim is not installed")
        line = [program, "exec", "--timeout=%d" % timeout, "--status=place=%d" % NO_PLACE, *options]
        line += ["--on=%s=%s" % pair for pair in commands.items()]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        if done.returncode == NO_PLACE:
            pytest.skip(done.stderr.strip())
        if done.returncode != 0:
            pytest.fail("%s\n%sstatus %d" % (done.stdout, done.stderr, done.returncode), pytrace=False)
        return done.stdout

    return run
