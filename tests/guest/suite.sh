# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# suite KERNEL LAYOUT [TARGET [SCENARIOS...]]: the scenarios that come with verbatim, one
# test point for each, taken from the report itself. A scenario that requires
# what the target does not have ("needs ...") is right to say so; that is no
# skipped test, as the suite against the other target runs it.
# shellcheck source=tests/tap.sh
. "$VBM_SRCDIR/tests/tap.sh"

suite() {
	where="--kernel $1 --layout $2 --target ${3:-system}"
	shift $(($# < 3 ? $# : 3))
	[ $# -gt 0 ] || set -- scenarios
	cd "$VBM_SRCDIR" || exit 99
	# shellcheck disable=SC2086 # several words
	run "$VERBATIM" run --lane "$lane" $where --format tap "$@"
	is_status 0 "every scenario of $*, $where"
	sed -n 's/^ok [0-9]* - //p; s/^not \(ok\) [0-9]* - /\1 not: /p' "$tmp/out" >"$tmp/points"
	while read -r point; do
		case $point in
		'ok not: '*) tap_result 1 "${point#ok not: }" ;;
		*'# SKIP needs '*) tap_result 0 "${point%% # SKIP*} says it ${point##*# SKIP }" ;;
		*) tap_result 0 "$point" ;;
		esac
	done <"$tmp/points"
	passed=$(grep -c -v -e '^ok not: ' -e '# SKIP' "$tmp/points")
	check "at least 30 scenarios passed ($passed)" [ "$passed" -ge 30 ]
	tap_done
}
