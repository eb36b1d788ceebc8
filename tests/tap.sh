# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For tests written in sh: source this, call the checks, end with tap_done.
#
#   run COMMAND...      keeps its status in $status, stdout in $out, stderr in $err
#   run_from FILE COMMAND...   the same with FILE as standard input; run gives it /dev/null
#   is_status N NAME    the last run ended with N
#   out_has TEXT NAME   its stdout (err_has: stderr) contains TEXT
#   same FILE NAME      its stdout is FILE, byte for byte
#   is NAME WANTED GOT   two texts are equal
#   points_are_ok LABEL  the last run ended with 0 and printed TAP; repeats its test points
#   kept_has REGEX NAME  a line of its stdout, which may be long, matches
#   check NAME COMMAND...   COMMAND succeeds
#   begin_run EVENT ARG...   starts verbatim run in the background ($pid), and returns after
#                        the event EVENT (verbatim(1), --format json); descriptor 3 has the
#                        later events
#   small_suite FILE...  makes $tmp/small/scenarios: the tables, fragments and findings of the whole
#                        suite, and these scenario files of it. It is read in a fiftieth of the time
#   skip NAME REASON
#   skip_all REASON
#
# $VERBATIM is the program, $tmp a folder that is removed at the end. Some tests
# run in each lane; $lane is the one of this run: $VBM_LANE, else guest. An emulated
# guest is slow, so in lane guest $whole is empty, and $layouts and $families have one
# entry: the other lanes test the rest. With VBM_WHOLE=yes lane guest tests all.

: "${VBM_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${VBM_BUILDDIR:=$VBM_SRCDIR/build}"
VERBATIM=$VBM_BUILDDIR/verbatim
export VBM_SRCDIR VBM_BUILDDIR VERBATIM
# shellcheck disable=SC2034 # the tests use it
lane=${VBM_LANE:-guest}
whole=${VBM_WHOLE:-$([ "$lane" = guest ] || echo yes)}
# shellcheck disable=SC2034
layouts=netns${whole:+ shared} families=IP${whole:+ IP6}
tap_count=0 status='' out='' err=''

# who_is PID: the process of that number, as nothing else ever is; empty if there is none.
who_is() {
	sed "s|^\([0-9]*\) .*) |\1 |" "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 1,21
}
# A test that is killed leaves its folder, and a later test removes it. Numbers of processes count in one
# namespace and until the machine is started again.
tap_here="$(readlink /proc/self/ns/pid) $(cat /proc/sys/kernel/random/boot_id)"
for tap_left in "${TMPDIR:-/tmp}"/verbatim-test.*/.owner; do
	if [ ! -f "$tap_left" ] || [ ! -O "$tap_left" ] || [ -L "${tap_left%/.owner}" ]; then
		continue
	fi
	read -r tap_pid tap_began tap_where <"$tap_left" || continue
	if [ "$tap_where" != "$tap_here" ] || [ "$(who_is "$tap_pid")" = "$tap_pid $tap_began" ] ||
		grep -q " ${tap_left%/.owner}/" /proc/self/mountinfo; then
		continue
	fi
	rm -rf "${tap_left%/.owner}"
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/verbatim-test.XXXXXX") || {
	echo "Bail out! no temporary folder"
	exit 99
}
echo "$(who_is $$) $tap_here" >"$tmp/.owner"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tap_result() {	# tap_result STATUS NAME
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
		return
	fi
	echo "not ok $tap_count - $2"
}

# Prints the output of the last run as comments, to explain a failure.
tap_explain() {
	echo "# command: $tap_command"
	echo "# status:  $status"
	printf '%s\n' "$out" | sed 's/^/# stdout: /'
	printf '%s\n' "$err" | sed 's/^/# stderr: /'
}

run_from() {
	tap_input=$1
	shift
	tap_command=$*
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" <"$tap_input" || status=$?
	out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}

run() { run_from /dev/null "$@"; }

begin_run() {
	tap_event=$1
	shift
	mkfifo "$tmp/events"
	"$VERBATIM" run --format json "$@" >"$tmp/events" 2>"$tmp/begun.err" &
	# shellcheck disable=SC2034 # the tests use it
	pid=$!
	exec 3<"$tmp/events"
	rm "$tmp/events"
	while read -r line <&3; do
		case $line in
		*'"event":"'"$tap_event"'"'*) return 0 ;;
		esac
	done
	return 1
}

is_status() {
	if [ "$status" -eq "$1" ]; then
		tap_result 0 "$2"
	else
		tap_result 1 "$2"
		echo "# expected status $1"
		tap_explain
	fi
}

tap_has() {	# tap_has STREAM-TEXT WANTED NAME
	case $1 in
	*"$2"*) tap_result 0 "$3" ;;
	*) tap_result 1 "$3"
	   echo "# expected to find: $2"
	   tap_explain ;;
	esac
}

out_has() { tap_has "$out" "$1" "$2"; }
err_has() { tap_has "$err" "$1" "$2"; }

# The last run was a program that prints TAP itself, for example on a host of a fabric.
points_are_ok() {
	is_status 0 "$1: it ends with status 0"
	out_has '1..' "$1: it came to its end"
	cp "$tmp/out" "$tmp/points"
	grep '^#' "$tmp/points"
	while read -r line; do
		case $line in
		'ok '*) check "$1: ${line#* - }" true ;;
		'not ok '*) check "$1: ${line#* - }" false ;;
		esac
	done <"$tmp/points"
}

small_suite() {
	mkdir -p "$tmp/small/scenarios"
	(cd "$VBM_SRCDIR/scenarios" && tar -cf - verbatim-suite ./*.tsv fragments findings "$@") |
		tar -C "$tmp/small/scenarios" -xf -
}

is() {
	if [ "$2" = "$3" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		echo "# expected: $2"
		echo "# got:      $3"
	fi
}

kept_has() {
	if grep -Eq -e "$1" "$tmp/out"; then
		tap_result 0 "$2"
	else
		tap_result 1 "$2"
		echo "# expected a line like: $1"
		tail -n 40 "$tmp/out" "$tmp/err" | sed 's/^/# /'
	fi
}

same() {
	if diff -u "$1" "$tmp/out" >"$tmp/diff" 2>&1; then
		tap_result 0 "$2"
	else
		tap_result 1 "$2"
		sed 's/^/# /' "$tmp/diff"
	fi
}

check() {
	tap_name=$1
	shift
	run "$@"
	if [ "$status" -eq 0 ]; then
		tap_result 0 "$tap_name"
	else
		tap_result 1 "$tap_name"
		tap_explain
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_count"
}

# example NAME: the command by which a host starts an example. libtool's script would
# start a dozen processes first, which takes an emulated processor many seconds.
example() {
	if [ -x "$VBM_BUILDDIR/examples/.libs/$1" ]; then
		echo "env LD_LIBRARY_PATH=$VBM_BUILDDIR/lib/.libs $VBM_BUILDDIR/examples/.libs/$1"
	else
		echo "$VBM_BUILDDIR/examples/$1"
	fi
}

# installed_library NAME: the file of a library that the program loads.
installed_library() { ldd "$VERBATIM" | sed -n "s,.* => \\(/.*/$1\\.so\\.1\\) .*,\\1,p"; }

# provider_of_installed: the file of rxe's provider.
provider_of_installed() {
	echo "$(dirname "$(readlink -f "$(installed_library libibverbs)")")"/libibverbs/librxe-rdmav*.so
}

# build_of_installed DIR VERSION: this machine's libraries, laid out as a build tree of
# that version.
build_of_installed() {
	mkdir -p "$1/lib"
	# One that is built to be used in place looks for the path service in its tree.
	LC_ALL=C sed 's,/run/ibacm,/vbm/ibacm,g' "$(installed_library librdmacm)" >"$1/lib/librdmacm.so.1.3.$2.0"
	ln -s "librdmacm.so.1.3.$2.0" "$1/lib/librdmacm.so.1"
	cp -L "$(installed_library libibverbs)" "$1/lib/libibverbs.so.1"
	cp -L "$(provider_of_installed)" "$1/lib"
}
