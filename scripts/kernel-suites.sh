# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For scripts that take a kernel from Debian: source this after private-apt.sh.
#   is_version NAME       whether NAME is a version: "6.1" is, "trixie" is not
#   name_is_valid NAME    whether NAME could be a version or a suite
#   matches NAME RELEASE  whether RELEASE has version NAME: 6.1 matches
#                         6.1.0-50-amd64, and not 6.12.95
#   depends PACKAGE       prints the linux-* packages that it depends on
#   find_package NAME META PREFIX LOG
#                         finds the suite that has NAME: sets $suite, and $package
#                         to the first package PREFIX* that the package META of
#                         this suite depends on. Needs apt_private before.
#   need_apt              dies if apt or its keyring is missing
#
# The caller defines die() and say().

suites='bookworm bookworm-backports trixie trixie-backports forky sid'
# The suite in which a version was last seen. find_package looks there first, and
# then in the others, because suites get newer kernels.
seen='6.1=bookworm 6.12=bookworm-backports 7.2=forky 7.3=trixie-backports'

have() { command -v "$1" >/dev/null 2>&1; }

is_version() { case $1 in [0-9]*) ;; *) return 1 ;; esac; }

name_is_valid() { case $1 in ''|*[!a-z0-9.+-]*) return 1 ;; esac; }

matches() {
	case $2 in
	"$1"|"$1"[!0-9]*) ;;
	*) return 1 ;;
	esac
}

need_apt() {
	for tool in apt-get apt-cache dpkg-deb; do
		have "$tool" || die "$tool is missing; install it: apt-get install apt dpkg
($1)"
	done
	# shellcheck disable=SC2154 # of private-apt.sh
	[ -r "$keyring" ] || die "no Debian archive keyring at $keyring; install it: apt-get install debian-archive-keyring"
	mirror=$(own_mirror)
	[ -n "$mirror" ] || die "this machine's apt sources name no Debian mirror; set VERBATIM_MIRROR=http://HOST/debian
($1)"
}

# candidates NAME: prints the suites that may have it, the likeliest first.
candidates() {
	is_version "$1" || { echo "$1"; return; }
	first=
	for pair in $seen; do
		[ "$1" != "${pair%%=*}" ] || first=${pair#*=}
	done
	echo "$first"
	for s in $suites; do [ "$s" = "$first" ] || echo "$s"; done
}

depends() {
	apt apt-cache show --no-all-versions "$1" 2>/dev/null |
		sed -n 's/^\(Pre-\)\{0,1\}Depends: //p' | tr ',' '\n' |
		sed 's/^ *//; s/[ (|:].*//' | grep '^linux-' || true
}

find_package() {
	carried=
	for suite in $(candidates "$1"); do
		say "$suite: reading the package list"
		package=
		if apt_read_suite "$suite" "$4"; then
			package=$(depends "$2" | grep "^$3" | head -n 1)
		fi
		if [ -z "$package" ]; then
			sed 's/^/  /' "$4" >&2
			is_version "$1" && continue
			die "cannot read and verify a kernel's package list of $suite; is there a network, and does the mirror have this suite?"
		fi
		if ! is_version "$1" || matches "$1" "${package#"$3"}"; then
			return 0
		fi
		carried="$carried
  $suite: ${package#"$3"}"
	done
	die "no suite has a kernel $1; there are now:${carried:- none that could be read}"
}
