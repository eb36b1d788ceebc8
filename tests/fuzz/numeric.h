/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NUMERIC_H
#define VBM_FUZZ_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>

/* How to ask; any number will do. */
enum {
	NUMERIC_FAMILY = 3,	/* two bits: unspecified, IPv4, IPv6, IB */
	NUMERIC_PASSIVE = 4,
	NUMERIC_NO_SERVICE = 8,
	NUMERIC_BITS = 4,
};

/*
 * Translate @node and @service with the library and with getaddrinfo(3), both
 * told to ask nobody. False when they disagree where the page does not say that
 * they do; @said is then what each of them made of it.
 */
bool numeric_agrees(const char *node, const char *service, unsigned int how,
		    char *said, size_t room);

#endif
