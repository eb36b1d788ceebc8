/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "decode/decode.h"

struct cmd_decode_args {
	struct decode_options options;
	const char *path;
	bool fields;
};

enum { KEY_ALL = 1000, KEY_FIELDS };

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, " (default: text)", 0},
	{"verbose", 'v', NULL, 0, "with text: every field of every header, and the payload", 0},
	{"all", KEY_ALL, NULL, 0, "also the packets that are not RDMA", 0},
	{"fields", KEY_FIELDS, NULL, 0, "print the headers and their fields, without a FILE", 0},
	{0},
};

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {{'f', decode_format_name}, {0, NULL}};

	(void)input;
	return choice_help(names, key, text);
}

static void add_word(struct cmd_decode_args *a, const char *word, struct argp_state *state)
{
	struct vbm_error err = {0};

	if (!strcmp(word, "in") || !strcmp(word, "out"))
		a->options.way = word;
	else if (pattern_add(&a->options.pattern, word, &err) < 0)
		argp_error(state, "%s", err.msg);
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct cmd_decode_args *a = state->input;

	switch (key) {
	case 'f':
		a->options.format = decode_format_find(arg);
		if (!a->options.format)
			cmd_no_such(state, "--format", decode_format_name, "", arg);
		return 0;
	case 'v':
		a->options.details = true;
		return 0;
	case KEY_ALL:
		a->options.all = true;
		return 0;
	case KEY_FIELDS:
		a->fields = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!a->path)
			a->path = arg;
		else
			add_word(a, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!a->path && !a->fields)
			argp_error(state, "name a capture");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "FILE [WORD]...",
	.help_filter = help,
	.doc = "Print the RDMA packets of a capture (pcapng or pcap), one a line. With WORDs only packets that meet "
	       "all of them.\v"
	       "A WORD is a transport (RC), an operation (SEND_ONLY), a message of the connection manager (REQ), the kind "
	       "of an acknowledgement (NAK), a header (ipv6), a flag (ack_req) or FIELD=VALUE, also with != < > <= >=.\n\n"
	       "Examples:\n"
	       "  verbatim decode capture.pcapng\n"
	       "  verbatim decode capture.pcapng NAK          what was refused\n"
	       "  verbatim decode capture.pcapng qp=0x11 'psn>100'\n"
	       "  verbatim decode capture.pcapng -v CM        each field of the messages that connect\n"
	       "  verbatim decode capture.pcapng icrc=wrong",
};

/* A capture without RDMA is no error, and an empty output would say too little. */
static void tell_nothing(const struct cmd_decode_args *a, const struct decode_counts *n)
{
	if (n->unreadable)
		visible_complain("%s: %" PRIu64 " packets are of a kind of interface that verbatim does not know", a->path,
				 n->unreadable);
	if (!n->rdma)
		visible_complain("%s: no RDMA packet (RoCE) among %" PRIu64, a->path, n->packets - n->unreadable);
	else if (!n->shown)
		visible_complain("%s: none of %" PRIu64 " RDMA packets matches", a->path, n->rdma);
}

static int run(int argc, char **argv)
{
	struct cmd_decode_args a = {.options = {.format = decode_format_find("text"), .out = stdout}};
	struct decode_counts counts;
	struct vbm_error err = {0};
	int ret = EXIT_OK;

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if (a.fields) {
		decode_list_fields(stdout);
	} else if (decode_file(a.path, &a.options, &counts, &err) < 0) {
		fflush(stdout);
		visible_complain("%s", err.msg);
		ret = counts.packets ? EXIT_FAILED : EXIT_USAGE;
	} else {
		tell_nothing(&a, &counts);
	}
	pattern_fini(&a.options.pattern);
	return ret;
}

const struct cmd cmd_decode = {
	.name = "decode",
	.doc = "print the RDMA packets of a capture",
	.run = run,
	.argp = &argp,
};
