#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# killed.sh LAYOUT SCENARIO, on a host of a fabric in a guest: the runner of a
# native run is killed in the middle of a scenario; then what it left is looked
# at, swept, and a fresh run is made. Its output is for fabric.test.
# shellcheck source=tests/tap.sh
. "$VBM_SRCDIR/tests/tap.sh"

layout=$1 scenario=$2
sed '/^clause:/a fabric: {mesh: 3}' "$VBM_SRCDIR/tests/data/broken/stall-long.yaml.in" >"$tmp/stall.yaml"

begin_run fabric --lane native --layout "$layout" "$tmp/stall.yaml" && echo "begun"
kill -KILL "$(pgrep -P "$pid")"
cat <&3 >/dev/null
wait "$pid"
cat "$tmp/begun.err"

"$VERBATIM" doctor --sweep --dry-run >"$tmp/dry"
if grep -q '^would' "$tmp/dry"; then
	echo "left something"
fi
"$VERBATIM" doctor --sweep >"$tmp/sweep" || cat "$tmp/sweep"
"$VERBATIM" doctor --sweep
"$VERBATIM" run --lane native --layout "$layout" --format tap "$scenario"
echo "status $?"
