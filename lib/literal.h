/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_LITERAL_H
#define VBM_LIB_LITERAL_H

#include "addr.h"

enum literal {
	LITERAL_ADDRESS,	/* *out is set, port 0 */
	LITERAL_NAME,		/* may be a host's name */
	LITERAL_NEITHER,	/* cannot be either */
};

/*
 * Four numbers up to 255, none with a leading zero, into @in in the host's
 * order: what inet_pton(3) takes, but quick. The length, or 0 for other text.
 */
size_t vbm_literal_in(const char *text, uint32_t *in);

/*
 * Read @node: dotted-decimal IPv4 of four parts, IPv6 with an optional scope,
 * or text that may be a host's name. The old short, octal and hexadecimal
 * notations of IPv4 are neither, and no name server will be asked about them.
 * Only a scope reaches outside: its interface has to exist.
 */
enum literal vbm_literal_read(const char *node, union addr *out);

#endif
