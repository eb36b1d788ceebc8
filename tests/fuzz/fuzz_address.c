/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/address.c net/ip.c */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "net/ip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An address that was read, written in full form, must be read as the same address. */
static void check(const struct address *a)
{
	char ip[INET6_ADDRSTRLEN], text[128], scope[ADDRESS_SCOPE_MAX + 1] = "";
	struct address b;

	if (!inet_ntop(a->family, a->ip, ip, sizeof(ip)) || a->port < -1 || a->port > 65535 ||
	    (a->scope[0] && a->family != AF_INET6))
		abort();
	if (a->scope[0])
		snprintf(scope, sizeof(scope), "%%%s", a->scope);
	if (a->port < 0)
		snprintf(text, sizeof(text), "%s%s", ip, scope);
	else if (a->family == AF_INET)
		snprintf(text, sizeof(text), "%s:%d", ip, a->port);
	else
		snprintf(text, sizeof(text), "[%s%s]:%d", ip, scope, a->port);
	if (!address_read(text, &b) || memcmp(a, &b, sizeof(b)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ip_prefix prefix;
	struct address a;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (address_read(text, &a))
		check(&a);
	if (ip_parse(text, &prefix) && prefix.len > (prefix.family == AF_INET ? 32 : 128))
		abort();
	free(text);
	return 0;
}
