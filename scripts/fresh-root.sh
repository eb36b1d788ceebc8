# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For scripts that need a fresh Debian system in a folder: source this. The folders and mounts
# are in a work folder and in name spaces of their own, so this machine does not change, and
# all is gone at the end, also after an interrupt. The next call removes what a killed one
# has left.
#
#   fresh_work NAME          makes the folder $work, and checks that this machine can do it
#   fresh_root DIR SUITE [OPTION]...   makes a root folder, with options of mmdebstrap
#   in_root DIR NET COMMAND...   runs the command there, with NET "net" or "alone" (no network)
#   step NAME COMMAND...     runs the command quietly; if it fails, prints the end of its
#                            output, and returns 1
#
# The caller has sourced private-apt.sh, and has the functions die and cannot.

fresh_sweep() {
	for left in "${TMPDIR:-/tmp}/verbatim-$1".*; do
		[ -f "$left/.lock" ] || continue
		(flock -n 9 && rm -rf --one-file-system "$left") 9<"$left/.lock" || :
	done
}

fresh_work() {
	[ "$(id -u)" -eq 0 ] || cannot 'this needs root, for root folders of other systems'
	for need in mmdebstrap:mmdebstrap unshare:util-linux flock:util-linux; do
		command -v "${need%:*}" >/dev/null ||
			cannot "missing: ${need#*:}; install it: apt-get install --no-install-recommends ${need#*:}"
	done
	mirror=$(own_mirror)
	[ -n "$mirror" ] || cannot "this machine's package sources name no Debian mirror; set VERBATIM_MIRROR"
	fresh_sweep "$1"
	work=$(mktemp -d "${TMPDIR:-/tmp}/verbatim-$1.XXXXXX")
	: >"$work/.lock"
	exec 9<"$work/.lock"
	flock 9
	# shellcheck disable=SC2064 # the folder of now
	trap "rm -rf --one-file-system '$work'" EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# The dates of a mirror that stands still do not count.
fresh_root() {
	dir=$1 suite=$2
	shift 2
	mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Check-Date "false"' --aptopt='APT::Install-Recommends "false"' \
		"$@" "$suite" "$dir" "$mirror" 9<&-
}

in_root() {
	dir=$1 alone=--net
	[ "$2" = alone ] || alone=''
	shift 2
	# shellcheck disable=SC2016 # for the shell in there
	unshare --mount --pid --fork --kill-child ${alone:+"$alone"} sh -ec '
		root=$1
		shift
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		[ ! -e /etc/resolv.conf ] || cp /etc/resolv.conf "$root/etc/resolv.conf"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
			LC_ALL=C.UTF-8 "$@"' sh "$dir" "$@" 9<&-
}

step() {
	step_name=$1
	shift
	if "$@" >"$work/log" 2>&1 </dev/null; then
		echo "ok   $step_name"
		return 0
	fi
	echo "FAIL $step_name"
	tail -n 40 "$work/log" | sed 's/^/     /'
	return 1
}
