/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "program/program.h"

/* @grows, or NULL: whether the group reaches to the end of a line without a newline. */
static bool find_line(const struct text *text, const regex_t *regex, char **line, char **match, bool *grows)
{
	const char *at = text->s, *end = at ? at + text->len : at, *nl;
	regmatch_t m[2];
	int group;

	for (; at && at < end; at = nl ? nl + 1 : end) {
		auto_free char *one = NULL;

		nl = memchr(at, '\n', (size_t)(end - at));
		one = xstrndup(at, (size_t)((nl ? nl : end) - at));
		if (regexec(regex, one, ARRAY_SIZE(m), m, 0) != 0)
			continue;
		group = regex->re_nsub && m[1].rm_so >= 0;
		*match = xstrndup(one + m[group].rm_so, (size_t)(m[group].rm_eo - m[group].rm_so));
		if (grows)
			*grows = group && !nl && !one[m[1].rm_eo];
		*line = steal(&one);
		return true;
	}
	return false;
}

bool program_line(const struct text *text, const regex_t *regex, char **line, char **match)
{
	return find_line(text, regex, line, match, NULL);
}

bool program_line_grows(const struct text *text, const regex_t *regex)
{
	auto_free char *line = NULL, *match = NULL;
	bool grows = false;

	find_line(text, regex, &line, &match, &grows);
	return grows;
}

/* A NUL byte would end the text, so it is replaced. */
static void add_shown(struct text *out, const char *s, size_t len)
{
	auto_free char *part = NULL;
	size_t n;

	for (; len; s += n, len -= n) {
		n = strnlen(s, len);
		free(part);
		part = xstrndup(s, n);
		text_add_visible(out, part);
		if (n == len)
			return;
		text_add(out, "\\x00");
		n++;
	}
}

char *program_shown(const struct text *text, uint64_t lost, size_t max, uint64_t *left_out)
{
	size_t len = text->len, half = max / 2;
	struct text out = {0};
	uint64_t missing;

	while (len && text->s[len - 1] == '\n')
		len--;
	text_add(&out, "");
	if (len <= max) {
		add_shown(&out, text->s, len);
		return out.s;
	}
	/* The newline in place of the lost bytes does not count. */
	missing = len - 2 * half + (lost ? lost - 1 : 0);
	*left_out += missing;
	add_shown(&out, text->s, half);
	text_addf(&out, "\n(%" PRIu64 " bytes are left out here)\n", missing);
	add_shown(&out, text->s + len - half, half);
	return out.s;
}
