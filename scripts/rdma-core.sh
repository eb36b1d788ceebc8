# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For scripts that build rdma-core: source this after private-apt.sh.
#
#   rdma_core_tools       dies if a tool for building it is missing
#   rdma_core_build SOURCE BUILD LOG [CMAKE-ARGUMENT]...
#                         builds the files that a run needs, in place, in the folder BUILD
#   rdma_core_newest STORE WORK
#                         sets $source and $version: the newest release that Debian has as
#                         a source package, unpacked below STORE; status 1: there is none
#   rdma_core_release NAME STORE WORK
#                         the same for a version (56, 56.1) or a suite (trixie)
#   rdma_core_in_store NAME STORE
#                         sets $source and $version if the store has that version
#   rdma_core_name_is_valid NAME   whether NAME could be a version or a suite
#
# The caller defines die() and say().

have() { command -v "$1" >/dev/null 2>&1; }

rdma_core_tools() {
	for tool in cmake ninja gcc pkg-config python3; do
		package=$tool
		[ "$tool" != ninja ] || package=ninja-build
		have "$tool" || die "$tool is missing, and rdma-core cannot be built; install it: apt-get install $package"
	done
	pkg-config --exists libnl-3.0 libnl-route-3.0 ||
		die "rdma-core cannot be built without libnl; install it: apt-get install libnl-3-dev libnl-route-3-dev"
}

# Prints the first error of the compiler or of cmake, or the end of the log.
rdma_core_complaint() {
	{ grep -m 1 -A 3 -E 'error:|No space left' "$1" || grep -m 1 -A 3 'CMake Error' "$1" ||
		tail -n 5 "$1"; } | sed 's/^/  /' >&2
}

# The providers are those of the types of devices that --device knows.
# shellcheck disable=SC2086
rdma_core_build() {
	rdma_source=$1 rdma_build=$2 rdma_log=$3
	shift 3
	mkdir -p "$rdma_build" || die "cannot make the folder $rdma_build"
	{
		{ [ -f "$rdma_build/build.ninja" ] ||
			cmake -S "$rdma_source" -B "$rdma_build" -GNinja -DIN_PLACE=1 -DNO_MAN_PAGES=1 \
				-DNO_PYVERBS=1 "$@"; } &&
			providers=$(ninja -C "$rdma_build" -t targets all | sed -En 's/^((rxe|siw)-rdmav[0-9]*):.*/\1/p') &&
			ninja -C "$rdma_build" rdmacm $providers
	} >"$rdma_log" 2>&1 </dev/null || {
		rdma_core_complaint "$rdma_log"
		die "rdma-core in $rdma_source does not build; the whole log: $rdma_log"
	}
}

# The newest release comes first; a suite that is asked for by its name is read alone.
rdma_core_suites='sid forky trixie bookworm'

rdma_core_name_is_valid() { case $1 in newest) ;; ''|*[!a-z0-9.-]*) return 1 ;; esac; }

# rdma_core_matches NAME VERSION: 56 and 56.1 match 56.1, and so does each name that is
# no version.
rdma_core_matches() {
	case $1 in
	[0-9]*) case $2 in "$1"|"$1".*) ;; *) return 1 ;; esac ;;
	esac
}

# rdma_core_read NAME WORK: sets $version and $suite; status 1: no suite has it.
# $rdma_seen has what each suite that could be read has.
rdma_core_read() {
	rdma_seen=
	case $1 in
	newest|[0-9]*) rdma_where=$rdma_core_suites ;;
	*) rdma_where=$1 ;;
	esac
	for suite in $rdma_where; do
		say "$suite: reading the list of source packages"
		if apt_read_sources "$suite" "$2/log"; then
			version=$(apt apt-cache showsrc --only-source rdma-core 2>/dev/null |
				sed -n 's/^Version: \(.*\)-[^-]*$/\1/p' | head -n 1)
			case $version in
			[0-9]*)
				rdma_seen="$rdma_seen $suite: $version;"
				! rdma_core_matches "$1" "$version" || return 0
				continue ;;
			esac
		fi
		sed 's/^/  /' "$2/log" >&2
		! apt_is_forged "$2/log" || die "cannot verify the list of source packages of $suite"
	done
	return 1
}

# rdma_core_fetch WORK TO: gets the release as its authors packed it, without
# Debian's changes.
rdma_core_fetch() {
	mkdir -p "$1/new/source"
	if (cd "$1" && apt apt-get source --download-only --tar-only rdma-core) >"$1/log" 2>&1 &&
		tar -x -C "$1/new/source" --strip-components=1 -f "$1"/rdma-core_*.orig.tar.* 2>"$1/log"; then
		# Rename the complete folder.
		mv -T "$1/new" "$2"
		return
	fi
	sed 's/^/  /' "$1/log" >&2
	return 1
}

# rdma_core_mirror WORK: makes a private apt for this machine's mirror, or says
# why it cannot.
rdma_core_mirror() {
	for tool in apt-get apt-cache; do
		have "$tool" || { say "$tool is missing, and Debian's source cannot be fetched without it"; return 1; }
	done
	# shellcheck disable=SC2154 # of private-apt.sh
	[ -r "$keyring" ] || { say "no Debian archive keyring at $keyring; install it: apt-get install debian-archive-keyring"; return 1; }
	mirror=$(own_mirror)
	[ -n "$mirror" ] || { say "this machine's apt sources name no Debian mirror; set VERBATIM_MIRROR=http://HOST/debian"; return 1; }
	apt_private "$1"
}

rdma_core_in_store() {
	version=$(find "$2" -maxdepth 1 -name 'release-[0-9]*' 2>/dev/null | sed 's/.*release-//' | sort -V |
		while read -r v; do ! rdma_core_matches "$1" "$v" || echo "$v"; done | tail -n 1)
	source=$2/release-$version/source
	[ -f "$source/CMakeLists.txt" ]
}

rdma_core_release() {
	rdma_core_mirror "$3" && rdma_core_read "$1" "$3" || return 1
	source=$2/release-$version/source
	[ ! -f "$source/CMakeLists.txt" ] || return 0
	say "$suite: downloading the source of rdma-core $version"
	rdma_core_fetch "$3" "$2/release-$version"
}

rdma_core_newest() {
	! rdma_core_release newest "$1" "$2" || return 0
	rdma_core_in_store newest "$1" || return 1
	say "the mirror cannot be read; taking rdma-core $version from an earlier run"
}
