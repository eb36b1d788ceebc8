# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# The symbols that objects of the build folder define and use. Sourced, after tests/tap.sh.
export LC_ALL=C
command -v nm >/dev/null 2>&1 || skip_all 'nm is missing'

# symbols FOLDER...: "ROOM FILE KIND SYMBOL", a line for each global symbol of the objects.
symbols() {
	(cd "$VBM_BUILDDIR" && find "$@" -name '*.o' -exec nm -A -P -g {} +) |
		sed -e 's,/\.libs/,/,' -e 's,/[a-z_]*_\(la\|a\|so\)-\([^/]*\.o\),/\2,' |
		awk -v top="$VBM_SRCDIR" '{
			file = $1
			sub(/:.*/, "", file)
			source = file
			sub(/o$/, "c", source)
			# The object of a deleted source is a remainder.
			if (!(source in gone)) {
				gone[source] = (getline line < (top "/" source)) < 0
				close(top "/" source)
			}
			if (gone[source]) next
			sub(/^harness\/[a-z]*\//, "", file)
			room = file
			if (!sub(/\/[^\/]*$/, "", room)) room = "."
			print room, file, $3, $2
		}'
}
