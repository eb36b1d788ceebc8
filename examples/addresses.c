/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints all addresses of a host, in the order in which a program should try them, each
 * with the address of this host from which RDMA would reach it.
 *
 *	addresses HOST
 */
#include <err.h>
#include <netdb.h>
#include <stdio.h>

#include <verbatim/addrinfo.h>

static const char *text(const struct sockaddr *address, socklen_t len, char *room)
{
	return getnameinfo(address, len, room, NI_MAXHOST, NULL, 0, NI_NUMERICHOST) ? "nowhere" : room;
}

int main(int argc, char **argv)
{
	char to[NI_MAXHOST], from[NI_MAXHOST];
	struct rdma_addrinfo *list, *ai;
	int rc;

	if (argc != 2)
		errx(2, "usage: addresses HOST");
	rc = vbm_getaddrinfo(argv[1], NULL, NULL, &list);
	if (rc)
		errx(1, "%s: %s", argv[1], vbm_gai_strerror(rc));
	for (ai = list; ai; ai = ai->ai_next)
		printf("%s from %s\n", text(ai->ai_dst_addr, ai->ai_dst_len, to),
		       text(ai->ai_src_addr, ai->ai_src_len, from));
	vbm_freeaddrinfo(list);
	return 0;
}
