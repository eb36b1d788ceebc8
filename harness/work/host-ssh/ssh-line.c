/* SPDX-License-Identifier: BSD-2-Clause */
#include "host-ssh/ssh-line.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

enum kind {
	UNKNOWN,
	NOTHING,	/* without effect between hosts */
	VALUE,		/* the same, with a value */
	SETTING,	/* -o NAME=VALUE */
	NO_INPUT,
	BACKGROUND,
	TERMINAL,
	NO_TERMINAL,
	REFUSED,
	REFUSED_VALUE,
};

#define LETTERS(text, kind) {text, kind}

static const struct {
	const char *letters;
	enum kind kind;
} options[] = {
	LETTERS("1246AaCdgKkqVvXxYy", NOTHING),
	LETTERS("BbceEFIilmPpQS", VALUE),
	LETTERS("o", SETTING),
	LETTERS("n", NO_INPUT),
	LETTERS("f", BACKGROUND),
	LETTERS("t", TERMINAL),
	LETTERS("T", NO_TERMINAL),
	LETTERS("GMNs", REFUSED),
	LETTERS("DJLORWw", REFUSED_VALUE),
};

/* Names of -o with an effect. Those with a kind REFUSED are allowed with the value "none" or "no". */
static const struct {
	const char *name;
	enum kind kind;
} settings[] = {
	{"StdinNull", NO_INPUT}, {"ForkAfterAuthentication", BACKGROUND}, {"RequestTTY", TERMINAL},
	{"DynamicForward", REFUSED}, {"LocalForward", REFUSED}, {"RemoteForward", REFUSED},
	{"ProxyCommand", REFUSED}, {"ProxyJump", REFUSED}, {"RemoteCommand", REFUSED},
	{"SessionType", REFUSED}, {"Tunnel", REFUSED},
};

static enum kind kind_of(char letter)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (strchr(options[i].letters, letter))
			return options[i].kind;
	return UNKNOWN;
}

static bool takes_value(enum kind kind)
{
	return kind == VALUE || kind == SETTING || kind == REFUSED_VALUE;
}

static bool says_no(const char *value)
{
	static const char *const words[] = {"no", "none", "default", "false"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasecmp(value, words[i]) == 0)
			return true;
	return false;
}

static int refuse_option(const char *option, struct vbm_error *err)
{
	return vbm_fail(err, EINVAL, "%s is not possible between hosts of a fabric, which have no "
			"tunnels, forwarded ports or subsystems", option);
}

static int apply_setting(struct ssh_line *line, const char *text, struct vbm_error *err)
{
	size_t n = strcspn(text, "= \t"), i;
	const char *value = text + n + strspn(text + n, "= \t");

	if (n == strlen("SendEnv") && strncasecmp(text, "SendEnv", n) == 0)
		text_addf(&line->send, "%s ", value);
	if (n == strlen("SetEnv") && strncasecmp(text, "SetEnv", n) == 0)
		text_addf(&line->set, "%s\n", value);
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (n != strlen(settings[i].name) || strncasecmp(text, settings[i].name, n) != 0)
			continue;
		if (settings[i].kind == REFUSED && !says_no(value))
			return refuse_option(settings[i].name, err);
		line->no_input |= settings[i].kind == NO_INPUT && !says_no(value);
		line->background |= settings[i].kind == BACKGROUND && !says_no(value);
		line->terminal += settings[i].kind == TERMINAL && !says_no(value);
	}
	return 0;
}

static int act(struct ssh_line *line, char letter, const char *value, struct vbm_error *err)
{
	const char name[] = {'-', letter, '\0'};
	enum kind kind = kind_of(letter);

	switch (kind) {
	case UNKNOWN:
		return vbm_fail(err, EINVAL, "unknown option '%s'", name);
	case REFUSED:
	case REFUSED_VALUE:
		return refuse_option(name, err);
	case SETTING:
		return apply_setting(line, value, err);
	case BACKGROUND:
		line->background = line->no_input = true;
		return 0;
	case NO_INPUT:
		line->no_input = true;
		return 0;
	case TERMINAL:
		line->terminal++;
		return 0;
	case NO_TERMINAL:
		line->terminal = -1;
		return 0;
	default:
		return 0;
	}
}

/* Reads the options at @argv, with their values. Returns what comes behind them. */
static char **read_options(struct ssh_line *line, char **argv, int *rc, struct vbm_error *err)
{
	const char *p, *value;
	int ret;

	for (; *argv && argv[0][0] == '-' && argv[0][1]; argv++) {
		if (strcmp(*argv, "--") == 0)
			return argv + 1;
		for (p = *argv + 1; *p; p++) {
			value = NULL;
			if (takes_value(kind_of(*p))) {
				value = p[1] ? p + 1 : argv[1];
				argv += !p[1] && argv[1];
			}
			ret = takes_value(kind_of(*p)) && !value ?
			      vbm_fail(err, EINVAL, "option '-%c' needs a value", *p) :
			      act(line, *p, value, *rc == 0 ? err : NULL);
			*rc = *rc ? *rc : ret;
			if (value || ret == -EINVAL)
				break;
		}
	}
	return argv;
}

int ssh_line_read(struct ssh_line *line, char **argv, struct vbm_error *err)
{
	char *at;
	int rc = 0;

	*line = (struct ssh_line){0};
	argv = read_options(line, argv + 1, &rc, err);
	line->words = argv;
	if (!*argv)
		return rc;
	at = strrchr(*argv, '@');
	line->host = at ? at + 1 : *argv;
	/* ssh takes options behind the host, too. */
	line->words = read_options(line, argv + 1, &rc, err);
	return rc;
}

void ssh_line_fini(struct ssh_line *line)
{
	text_fini(&line->send);
	text_fini(&line->set);
}

char *ssh_line_join(char **words)
{
	struct text text = {0};

	for (; *words; words++)
		text_addf(&text, "%s%s", text.len ? " " : "", *words);
	return text.s;
}
