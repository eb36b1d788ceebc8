#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Tests with the function of verbatim.bash: bats pingpong.bats
load verbatim

# The shell on the host replaces the variable.
# shellcheck disable=SC2016
pingpong='ibv_rc_pingpong -e -n 100 -g $VERBATIM_GID_INDEX'

@test "messages go to and fro" {
	on_hosts --on=a="$pingpong" --on=b="$pingpong a"
	[[ $output == *"100 iters"* ]]
}

@test "large messages, too" {
	on_hosts --on=a="$pingpong -s 65536" --on=b="$pingpong -s 65536 a"
}
