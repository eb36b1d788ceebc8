/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/options.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "decode/decode.h"

struct cmd_decode_args {
	struct decode_options options;
	struct option_args args;
	const char *format;
	bool fields;
};

static const struct option_line lines[] = {
	{"format", 'f', "FORMAT", " (default: text)", OPT_ONE_OF(struct cmd_decode_args, format, decode_format_name)},
	{"verbose", 'v', NULL, "with text: every field of every header, and the payload", OPT_FLAG(struct cmd_decode_args, options.details)},
	{"all", 0, NULL, "also the packets that are not RDMA", OPT_FLAG(struct cmd_decode_args, options.all)},
	{"fields", 0, NULL, "print the headers and their fields, without a FILE", OPT_FLAG(struct cmd_decode_args, fields)},
	{NULL},
};

static void add_word(struct cmd_decode_args *a, const char *word, struct argp_state *state)
{
	struct vbm_error err = {0};

	if (!strcmp(word, "in") || !strcmp(word, "out"))
		a->options.way = word;
	else if (pattern_add(&a->options.pattern, word, &err) < 0)
		argp_error(state, "%s", err.msg);
}

static void check(void *arguments, struct argp_state *state)
{
	struct cmd_decode_args *a = arguments;
	int i;

	for (i = 1; i < a->args.count; i++)
		add_word(a, a->args.arg[i], state);
	if (!a->args.count && !a->fields)
		argp_error(state, "name a capture");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct cmd_decode_args, args),
	.check = check,
	.args_doc = "FILE [WORD]...",
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
		visible_complain("%s: %" PRIu64 " packets are of a kind of interface that verbatim does not know", a->args.arg[0],
				 n->unreadable);
	if (!n->rdma)
		visible_complain("%s: no RDMA packet (RoCE) among %" PRIu64, a->args.arg[0], n->packets - n->unreadable);
	else if (!n->shown)
		visible_complain("%s: none of %" PRIu64 " RDMA packets matches", a->args.arg[0], n->rdma);
}

static int run_decode(int argc, char **argv)
{
	struct cmd_decode_args a = {.options.out = stdout, .format = "text"};
	struct decode_counts counts;
	struct vbm_error err = {0};
	int ret = EXIT_OK;

	options_parse(&options, argc, argv, &a);
	a.options.format = decode_format_find(a.format);
	if (a.fields) {
		decode_list_fields(stdout);
	} else if (decode_file(a.args.arg[0], &a.options, &counts, &err) < 0) {
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
	.run = run_decode,
	.options = &options,
};
