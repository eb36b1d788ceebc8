/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NUMERIC_H
#define VBM_FUZZ_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

/* Flags of a call; any number is valid. */
enum {
	NUMERIC_FAMILY = 3,	/* two bits: unspecified, IPv4, IPv6, IB */
	NUMERIC_PASSIVE = 4,
	NUMERIC_NO_SERVICE = 8,
	NUMERIC_BITS = 4,
};

/*
 * Translate @node and @service with the library and with getaddrinfo(3); both ask no
 * server. False when they disagree and the page does not say that they should; @said then
 * has both results.
 */
bool numeric_agrees(const char *node, const char *service, unsigned int how,
		    char *said, size_t room);

#endif
