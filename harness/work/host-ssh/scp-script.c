/* SPDX-License-Identifier: BSD-2-Clause */
#include "host-ssh/scp-script.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

/*
 * A message for each file that cannot be sent; the archive has the others. Each member is
 * named relative to its folder, and begins with "./", so that no name is an option.
 */
static const char send_script[] =
	"status=0\n"
	"left=$#\n"
	"while [ $left -gt 0 ]; do\n"
	"	left=$((left - 1)) file=${1%/} what=\n"
	"	shift\n"
	"	[ -e \"$file/\" ] || [ -e \"$file\" ] || what='No such file or directory'\n"
	"	[ -n \"$recursive\" ] || [ ! -d \"$file/\" ] || what='not a regular file'\n"
	"	if [ -n \"$what\" ]; then\n"
	"		echo \"scp: $file: $what\" >&2\n"
	"		status=1\n"
	"	elif [ -n \"$inside\" ]; then\n"
	"		set -- \"$@\" -C \"$(cd -- \"$file/\" && pwd)\" ./\n"
	"	else\n"
	"		folder=.\n"
	"		case $file in */*) folder=${file%/*}/ ;; esac\n"
	"		set -- \"$@\" -C \"$(cd -- \"$folder\" && pwd)\" \"./${file##*/}\"\n"
	"	fi\n"
	"done\n"
	"[ $# -gt 0 ] || set -- -T /dev/null\n"
	"tar -chf - \"$@\" && exit $status\n"
	"exit 1\n";

static const char receive_script[] =
	"box=$(mktemp -d 2>/dev/null || mktemp -d /tmp/scp.XXXXXX) || exit 1\n"
	"trap 'rm -rf \"$box\"' EXIT\n"
	"trap 'exit 1' HUP INT TERM\n"
	"tar -xof - -C \"$box\" || exit 1\n"
	"if [ -n \"$inside\" ]; then\n"
	"	mkdir -p -- \"$1\" && cp -R $preserve -- \"$box/.\" \"$1\"\n"
	"	exit\n"
	"fi\n"
	"to=$1\n"
	"shift\n"
	"for file in \"$box\"/* \"$box\"/.[!.]* \"$box\"/..?*; do\n"
	"	[ ! -e \"$file\" ] || set -- \"$@\" \"$file\"\n"
	"done\n"
	"[ $# -gt 0 ] || exit 0\n"
	"if [ -n \"$many\" ] && [ ! -d \"$to\" ]; then\n"
	"	echo \"scp: $to: not a directory\" >&2\n"
	"	exit 1\n"
	"fi\n"
	"cp -R $preserve -- \"$@\" \"$to\"\n";

bool scp_place_read(struct scp_place *place, const char *text)
{
	const char *colon = strchr(text, ':'), *slash = strchr(text, '/'), *begin, *at;
	size_t n;

	*place = (struct scp_place){.path = text};
	begin = strchr(text, '[');
	if (begin && (begin == text || begin[-1] == '@') && strstr(begin, "]:")) {
		n = strcspn(++begin, "]");
		colon = begin + n + 1;
	} else if (!colon || colon == text || (slash && slash < colon)) {
		return true;
	} else {
		begin = text;
		for (at = text; at < colon; at++)
			if (*at == '@')
				begin = at + 1;
		n = (size_t)(colon - begin);
	}
	if (n == 0 || n >= sizeof(place->name))
		return false;
	memcpy(place->name, begin, n);
	place->path = colon[1] ? colon + 1 : ".";
	return true;
}

/* As a word of sh(1). A shell finds the files of a pattern, and "~/" at its begin is the caller's home. */
static void add_word(struct text *t, const char *path, bool pattern)
{
	if (path[0] == '~' && (path[1] == '/' || !path[1])) {
		text_addf(t, "\"$HOME\"");
		path++;
	} else if (path[0] == '-') {
		text_addf(t, "./");
	}
	for (; *path; path++) {
		bool plain = isalnum((unsigned char)*path) || strchr("/._-", *path) ||
			     (unsigned char)*path >= 0x80 || (pattern && strchr("*?[]", *path));

		if (*path == '\n')
			text_addf(t, "'\n'");
		else
			text_addf(t, plain ? "%c" : "\\%c", *path);
	}
}

/* "." and "dir/.." mean what is in the folder. */
static bool means_inside(const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;

	return strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

static char *script(const char *from, const struct scp_options *options, bool many, const char *word, bool pattern,
		    const char *rest)
{
	struct text text = {0};

	text_addf(&text, "recursive=%s preserve=%s inside=%s many=%s\nset -- ",
		  options->recursive ? "1" : "", options->preserve ? "-p" : "",
		  options->recursive && means_inside(from) ? "1" : "", many ? "1" : "");
	add_word(&text, word, pattern);
	text_addf(&text, "\n%s", rest);
	return text.s;
}

char *scp_sender(const char *from, const struct scp_options *options)
{
	return script(from, options, false, from, true, send_script);
}

char *scp_receiver(const char *from, const char *to, bool many, const struct scp_options *options)
{
	return script(from, options, many, to, false, receive_script);
}
