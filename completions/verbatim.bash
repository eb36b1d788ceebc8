# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Completion of verbatim for bash. The program itself says which words may stand where the
# cursor is (verbatim complete), so this file has no list of options.

_verbatim() {
	local -a words
	local word line typed
	local i current=${COMP_WORDS[COMP_CWORD]} glue=no

	# bash takes "--format=tap" for three words, and "[DIR]:ro" likewise.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ ${#words[@]} -gt 0 && ( $glue = yes || $word = [=:]* ) ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
		glue=no
		[[ $word = [=:] ]] && glue=yes
	done
	[[ $current = [=:] ]] && current=
	typed=${words[${#words[@]} - 1]}
	typed=${typed%"$current"}

	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files|:dirs)
			compopt -o filenames 2>/dev/null
			[[ $line = :dirs ]] && line=-d || line=-f
			while IFS= read -r word; do
				COMPREPLY+=("$word")
			done < <(compgen "$line" -- "$current")
			;;
		*)
			word=${line%%$'\t'*}
			[[ $word = *[=/] ]] && compopt -o nospace 2>/dev/null
			COMPREPLY+=("${word#"$typed"}")
			;;
		esac
	done < <("$1" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _verbatim verbatim
