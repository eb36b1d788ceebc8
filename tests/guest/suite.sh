# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# suite KERNEL LAYOUT [TARGET [SCENARIOS...]]: a whole test, of the scenarios that come with verbatim, one
# test point for each as soon as it has ended. A scenario that requires
# what the target does not have ("needs ...") is right to say so; that is no
# skipped test, as the suite against the other target runs it. How many may say so, and
# why, stands in skips.tsv for the whole suite. With VBM_SAMPLE=yes a
# suite that lane uml runs on the same kernel is each 16th file. On another kernel it
# is the files whose findings depend on versions, and each sixth file, of handshake and of
# the scripted peers each 16th: an emulated processor starts the program of the first in a
# second, and takes as long for a variant of the second. On both it is also a few files that have
# rules for packets, because the kernel, and not the harness, carries these out.
# shellcheck source=tests/tap.sh
. "$VBM_SRCDIR/tests/tap.sh"

# points: those of the report on standard input. What is said below a point that failed
# becomes comments.
points() {
	passed=0 bad=no core=
	while IFS= read -r line; do
		case $line in
		'ok '*' # SKIP needs '* | 'ok '*' # SKIP the RDMA devices here have no '*)
			line=${line#* - }
			echo "${line##*# SKIP }" >>"$tmp/skips"
			tap_result 0 "${line%% # SKIP*} says it ${line##*# SKIP }" ;;
		'ok '*)
			case $line in *'# SKIP'*) ;; *) passed=$((passed + 1)) && echo "${line#* - }" >>"$tmp/passed" ;; esac
			tap_result 0 "${line#* - }"
			bad=no ;;
		'# rdma_core: '*) core=${line#*: } ;;
		'not ok '*)
			tap_result 1 "${line#* - }"
			bad=yes ;;
		*)
			[ $bad = no ] || echo "# $line" ;;
		esac
	done
}

# passed_of FOLDER: how many of its variants passed.
passed_of() { grep -c "^$1/" "$tmp/passed"; }

# pinned PLACE: "COUNT REASON" of each reason to skip that skips.tsv has for this
# rdma-core, or nothing where nobody has counted. "needs lane=uml" is for all other lanes, and so
# are "needs faults=yes", "needs time=virtual" and "needs siw in this kernel", because the kernel of lane uml can fail on
# purpose, has a clock of its own, and has each driver.
pinned() {
	awk -F'\t' -v at="$1 ${core%%.*}" -v lane="$lane" \
		'lane == "uml" && ($6 == "needs faults=yes" || $6 == "needs time=virtual" || $6 == "needs siw in this kernel") { next }
		$1 " " $2 " " $3 " " $4 == at && $6 != "needs lane=" lane { print $5, $6 }' \
		"$VBM_SRCDIR/tests/guest/skips.tsv"
}

# skipped: the same of what was skipped.
skipped() {
	sed 's/,.*//' "$tmp/skips" | sort | uniq -c | sed 's/^ *//'
}

# coverage_agrees DEVICE: the run of $evidence shows what "verbatim coverage --device" says without a run, in the areas where
# no clause depends on the release of rdma-core.
# shellcheck disable=SC2154 # the test sets it
coverage_agrees() {
	areas=addrinfo-struct,device,gid,pd,cq,cm-endpoint,cm-connect,srq,mr,event,multicast,ah,cm-event
	for from in "--device $1" "--from $evidence"; do
		# shellcheck disable=SC2086 # an option and its value
		"$VERBATIM" coverage $from --area $areas | sed -n '/^area/,/^total/p'
	done >"$tmp/agree"
	lines=$(($(wc -l <"$tmp/agree") / 2))
	is "each clause has the verdict that coverage --device $1 says" "$(head -n $lines "$tmp/agree")" \
		"$(tail -n +$((lines + 1)) "$tmp/agree")"
}

# every NUMBER FOLDER...: each NUMBERth scenario file below the folders.
every() {
	each=$1
	shift
	find "$@" -name '*.yaml' ! -path '*/fragments/*' ! -path '*/findings/*' | sort | awk "NR % $each == 1"
}

# rule_files: those that together have all kinds of rules, over each transport, and take an emulated
# processor a second or two each.
rule_files() {
	for name in changed-unseen delayed-beyond every-fault-ud held late-reversed lost-middle marked read-lost uc-lost wrap; do
		echo "scenarios/wire/$name.yaml"
	done
}

# rules_are_sampled: rule_files has each step that makes a rule.
rules_are_sampled() {
	"$VERBATIM" list --steps | awk '/^  [a-z]/ { step = $1 } /^    makes: rule/ { print step }' >"$tmp/rules"
	check 'the language has at least 7 kinds of rules' [ "$(wc -l <"$tmp/rules")" -ge 7 ]
	# shellcheck disable=SC2046 # a list of files
	while read -r rule; do
		check "the sample has $rule" grep -q "\.$rule:" $(rule_files)
	done <"$tmp/rules"
}

# version_files: those that show findings which depend on the kernel or on rdma-core.
version_files() {
	"$VERBATIM" findings --format json | awk -F'"' '
		/^    "when": / { depends = 0 }
		/^      "(kernel|rdma_core)[<=>]/ { depends = 1 }
		/^        "scenario": / && depends {
			sub(/[[*].*/, "", $4)
			if ($4 != "") print "scenarios/" $4 ".yaml"
		}' | sort -u
}

# suite_points KERNEL LAYOUT [TARGET [SCENARIOS...]]: the test points of the run. Where
# $evidence is set, the run leaves its folder there. Where $device is set, the hosts have such devices.
suite_points() {
	where="--kernel $1 --layout $2 --target ${3:-system}${device:+ --device $device}"
	sampled=${VBM_SAMPLE:-no},$lane,$1
	: >"$tmp/skips"
	: >"$tmp/passed"
	whole=no rules=no place="$1 $2 ${3:-system}${device:+ $device}"
	[ $# -gt 3 ] || whole=yes
	shift $(($# < 3 ? $# : 3))
	cd "$VBM_SRCDIR" || exit 99
	[ $# -gt 0 ] || set -- scenarios
	what="every scenario of $*"
	case "$sampled,$*" in
	yes,guest,trixie-backports,*)
		what="a sample of $*"
		whole=no
		case $* in scenarios) rules=yes ;; esac
		# shellcheck disable=SC2046 # a list of files
		set -- $({ every 16 "$@"; [ $rules = no ] || rule_files; } | sort -u) ;;
	yes,guest,*,scenarios)
		what="what depends on versions, and a sample of the rest"
		whole=no
		version_files >"$tmp/version-files"
		check 'at least 30 files have findings that depend on versions' [ "$(wc -l <"$tmp/version-files")" -ge 30 ]
		# shellcheck disable=SC2046 # as above
		set -- $({ cat "$tmp/version-files"; every 6 "$@" | grep -v -e /handshake/ -e /wire/peer/ -e /wire/hostile/
			every 16 scenarios/handshake scenarios/wire/peer scenarios/wire/hostile; rule_files; } | sort -u)
		rules=yes ;;
	esac
	[ $rules = no ] || rules_are_sampled
	mkfifo "$tmp/report" || exit 99
	# shellcheck disable=SC2086 # several words
	"$VERBATIM" run --lane "$lane" $where --format tap ${evidence:+--output "$evidence"} "$@" >"$tmp/report" 2>"$tmp/err" </dev/null &
	points <"$tmp/report"
	wait $! && status=0 || status=$?
	# shellcheck disable=SC2034 # for is_status
	err=$(cat "$tmp/err") tap_command="run --lane $lane $where $*"
	is_status 0 "$what, $where"
	check "at least 30 scenarios passed ($passed)" [ "$passed" -ge 30 ]
	[ $rules = no ] || check "at least 30 of scenarios/wire passed ($(passed_of wire))" [ "$(passed_of wire)" -ge 30 ]
	pinned "$place" | sort >"$tmp/pinned"
	if [ $whole = yes ] && [ -s "$tmp/pinned" ]; then
		skipped | sort >"$tmp/counted"
		check 'as many skip as tests/guest/skips.tsv says, and for its reasons' \
			diff -u "$tmp/pinned" "$tmp/counted"
	fi
}

suite() {
	suite_points "$@"
	tap_done
}
