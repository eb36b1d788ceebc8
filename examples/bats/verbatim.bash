# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# A function for bats: load verbatim, then on_hosts OPTION..., which are those of verbatim exec. The test is skipped where
# there is no place to run in; if a command fails, the test fails with the report. $output has what the commands printed. Each
# call has hosts of its own, so bats --jobs may run several.
on_hosts() {
	run "${VERBATIM:-verbatim}" exec --timeout=60 --status=place=199 "$@"
	if [ "$status" -eq 199 ]; then skip "$output"; fi
	if [ "$status" -ne 0 ]; then
		echo "$output"
		return "$status"
	fi
}
