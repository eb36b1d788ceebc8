# SPDX-License-Identifier: BSD-2-Clause
"""Tests of two programs with the fixture of conftest.py."""
import pytest

PINGPONG = "ibv_rc_pingpong -e -n 100 -g $VERBATIM_GID_INDEX"


def test_pingpong(on_hosts):
    out = on_hosts(a=PINGPONG, b=PINGPONG + " a")
    assert out.count("100 iters") == 2


@pytest.mark.parametrize("size", [1, 4096, 65536])
def test_sizes(on_hosts, size):
    on_hosts(a="%s -s %d" % (PINGPONG, size), b="%s -s %d a" % (PINGPONG, size))
