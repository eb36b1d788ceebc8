# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For scripts that take packages from Debian: source this. The packages come from the
# mirror that this machine's own apt sources name. They are checked against the Debian
# archive keyring, through a private apt configuration: the system's own package lists
# do not change, and no root is needed.
#
#   own_mirror            prints the mirror, or nothing
#   apt_private WORK      makes a configuration in the folder WORK
#   apt_read_suite SUITE LOG   reads the package list of that suite of $mirror
#   apt_read_sources SUITE LOG   reads its list of source packages
#   apt_is_forged LOG     whether the signature of such a list was wrong
#   apt TOOL ARG...       runs apt-get or apt-cache with the private configuration
#
# VERBATIM_MIRROR, if set, replaces the machine's own mirror.

keyring=${VERBATIM_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

# Prints "URI SUITES" for every Debian source of this machine, from both file
# formats.
own_sources() {
	list="" parts=""
	eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
	for f in "$list" "$parts"/*.list; do
		[ -r "$f" ] || continue
		sed -n 's/^[[:space:]]*deb[[:space:]]\{1,\}//p' "$f" |
			sed 's/^\[[^]]*\][[:space:]]*//' | awk '{ print $1, $2 }'
	done
	for f in "$parts"/*.sources; do
		[ -r "$f" ] || continue
		awk '
			function flush(  i, n, u) {
				if (deb && on) {
					n = split(uris, u, /[ \t]+/)
					for (i = 1; i <= n; i++)
						if (u[i] != "") print u[i], suites
				}
				uris = suites = key = ""; deb = 0; on = 1
			}
			BEGIN { on = 1 }
			/^#/ { next }
			/^[ \t]*$/ { flush(); next }
			/^[^ \t]/ { key = tolower(substr($0, 1, index($0, ":") - 1))
				    value = substr($0, index($0, ":") + 1) }
			/^[ \t]/ { value = $0 }
			key == "types" && value ~ /(^|[ \t])deb([ \t]|$)/ { deb = 1 }
			key == "enabled" && tolower(value) ~ /no/ { on = 0 }
			key == "uris" { uris = uris " " value }
			key == "suites" { suites = suites " " value }
			END { flush() }' "$f"
	done
}

own_mirror() {
	if [ -n "${VERBATIM_MIRROR:-}" ]; then
		echo "$VERBATIM_MIRROR"
		return
	fi
	own_sources | awk '
		{ uri = $1; sub(/\/+$/, "", uri) }
		uri ~ /\/debian$/ { print uri; exit }'
}

apt_private() {
	apt_work=$1
	mkdir -p "$apt_work/lists/partial" "$apt_work/archives/partial"
	: >"$apt_work/status"
	cat >"$apt_work/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$apt_work/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State "$apt_work";
		Dir::State::Lists "$apt_work/lists";
		Dir::State::status "$apt_work/status";
		Dir::Cache "$apt_work";
		Dir::Cache::Archives "$apt_work/archives";
		APT::Architecture "amd64";
		APT::Architectures "amd64";
		APT::Sandbox::User "";
		Acquire::Check-Valid-Until "false";
		Acquire::Check-Date "false";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::Retries "2";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	CONF
}

apt() { apt_tool=$1; shift; "$apt_tool" -c "$apt_work/apt.conf" -qq "$@"; }

apt_read() {
	# shellcheck disable=SC2154 # the caller's
	echo "$1 [arch=amd64 signed-by=$keyring] $mirror $2 main" >"$apt_work/sources.list"
	apt apt-get update >"$3" 2>&1 && ! grep -q '^[WE]: ' "$3"
}

apt_read_suite() { apt_read deb "$@"; }

apt_read_sources() { apt_read deb-src "$@"; }

# A wrong signature is another failure than a mirror that cannot be reached.
apt_is_forged() { grep -qiE 'gpg error|signature|not signed' "$1"; }
