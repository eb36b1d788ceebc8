# SPDX-License-Identifier: BSD-2-Clause
# complete.zsh FOLDER LINE: prints each word that zsh, with the completions of FOLDER, would
# offer at the end of LINE.
zmodload zsh/zpty
zpty asked zsh -f -i
# A line of the shell inside, and its answer up to a mark.
zpty -w asked "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; bindkey '^I' complete-word"
zpty -w asked "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -D -u; zstyle ':completion:*' list-prompt ''"
zpty -w asked 'compadd() { local -a said; builtin compadd -O said "$@"; (( ${#said} )) && print -rl -- "<offered>"${^said}; builtin compadd "$@" }'
zpty -w asked 'finish() { print -r -- "<end>"; exit }; zle -N finish; bindkey "^G" finish'
zpty -w asked 'print -r -- "<be""gin>"'
zpty -r asked text '*<begin>*'
zpty -n -w asked "$2"$'\t\a'
typeset -U offered
while zpty -r asked text; do
	text=${text//$'\r'/}
	[[ $text = *'<offered>'* ]] && offered+=("${${text##*<offered>}%$'\n'}")
	[[ $text = *'<end>'* ]] && break
done
print -rl -- $offered
zpty -d asked
