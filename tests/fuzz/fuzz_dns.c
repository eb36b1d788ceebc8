/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/dns-reply.c */
/* Any bytes as the answer of a name server. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve/dns-reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const uint8_t *msg, size_t len, int family)
{
	char canon[DNS_NAME_ROOM];
	struct addr_list list = {0};
	int ret = vbm_dns_reply_read(msg, len, family, &list, canon);

	if (ret > 0 && (!list.count || strlen(canon) >= sizeof(canon)))
		abort();
	for (size_t i = 0; i < list.count; i++)
		if (list.item[i].sa.sa_family != family)
			abort();
	vbm_addr_list_clear(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	memcpy(exact, data, size);
	read_as(exact, size, AF_INET);
	read_as(exact, size, AF_INET6);
	free(exact);
	return 0;
}
