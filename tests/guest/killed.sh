#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# killed.sh VERBATIM LAYOUT SCENARIO, on a host of a fabric in a guest: the
# runner of a native run is killed in the middle of a scenario; then what it
# left is looked at, swept, and a fresh run is made.
verbatim=$1 layout=$2 scenario=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

stall=$dir/stall.yaml
cat >"$stall" <<'EOF'
scenario: a step that waits for as long as a test needs
clause: GAI-RET-ZERO
fabric: {mesh: 3}
steps:
  - a.stall:
    deadline: 60000
EOF

mkfifo "$dir/events"
"$verbatim" run --lane native --layout "$layout" --format json "$stall" \
	>"$dir/events" 2>"$dir/err" &
pid=$!
exec 3<"$dir/events"
while read -r line <&3; do
	case $line in
	*'"event":"fabric"'*) echo "begun"; break ;;
	esac
done
kill -KILL "$(pgrep -P "$pid")"
cat <&3 >/dev/null
wait "$pid"
cat "$dir/err"

"$verbatim" doctor --sweep --dry-run >"$dir/dry"
if grep -q '^would' "$dir/dry"; then
	echo "left something"
fi
"$verbatim" doctor --sweep >"$dir/sweep" || cat "$dir/sweep"
"$verbatim" doctor --sweep
"$verbatim" run --lane native --layout "$layout" --format tap "$scenario"
echo "status $?"
