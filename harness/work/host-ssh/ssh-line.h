/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_HOST_SSH_SSH_LINE_H
#define VBM_HOST_SSH_SSH_LINE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "base/text.h"

/* The arguments of ssh(1) and rsh(1), as far as they matter between hosts. Pure. */
struct ssh_line {
	const char *host;	/* without the user; NULL: none is named */
	char **words;		/* of the command; the first is NULL if there is none */
	bool no_input;		/* -n */
	bool background;	/* -f */
	int terminal;		/* the number of -t; -T: -1 */
	struct text send;	/* owned: patterns of variables, SendEnv */
	struct text set;	/* owned: lines "NAME=VALUE", SetEnv */
};

/*
 * -EINVAL: an option that is unknown or that hosts do not have; @line->host is set if the
 * host comes later all the same.
 */
int ssh_line_read(struct ssh_line *line, char **argv, struct vbm_error *err);
void ssh_line_fini(struct ssh_line *line);

/* The words with a space between them, as ssh joins them. The caller frees. */
char *ssh_line_join(char **words);

#endif
