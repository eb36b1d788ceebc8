/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a thousand requests under way to a silent name server. Prints "request
 * BYTES" and "cares BYTES", each for one request: all memory that malloc(3) returned for
 * requests and questions, including malloc's overhead, and the part that the DNS library
 * asked for.
 */
#include <ares.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/resolver.h"

#define REQUESTS 1000
#define BLOCK_HEAD sizeof(size_t)

static size_t cares_bytes;

static size_t block(void *p)
{
	return p ? malloc_usable_size(p) + BLOCK_HEAD : 0;
}

static void *cares_malloc(size_t size)
{
	void *p = malloc(size);

	cares_bytes += block(p);
	return p;
}

static void cares_free(void *p)
{
	cares_bytes -= block(p);
	free(p);
}

static void *cares_realloc(void *old, size_t size)
{
	size_t before = block(old);
	void *p = realloc(old, size);

	if (p)
		cares_bytes += block(p) - before;
	return p;
}

/* The port of a socket that nobody reads; 0: failed. */
static uint16_t silent_server(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(in);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) ||
	    getsockname(fd, (struct sockaddr *)&in, &len))
		return 0;
	return ntohs(in.sin_port);
}

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static int begin(struct vbm_resolver *resolver, int number)
{
	struct vbm_request *request;
	char name[32];

	snprintf(name, sizeof(name), "n%d.test", number);
	return vbm_start_request(resolver, name, "7471", NULL, 0, NULL, &request);
}

int main(void)
{
	struct gai_config cfg = {
		.hosts = "/dev/null",
		.services = "/dev/null",
		.resolv = "/dev/null",
		.run = "/dev/null",
		.sys = "/dev/null",
		.dns_port = silent_server(),
	};
	struct vbm_resolver *resolver;
	size_t all, cares;

	if (!cfg.dns_port ||
	    ares_library_init_mem(ARES_LIB_INIT_ALL, cares_malloc, cares_free, cares_realloc) ||
	    vbm_resolver_new(&cfg, &resolver) || begin(resolver, 0))
		return 1;
	all = in_use();
	cares = cares_bytes;
	for (int i = 1; i <= REQUESTS; i++)
		if (begin(resolver, i))
			return 1;
	all = in_use() - all;
	cares = cares_bytes - cares;
	printf("request %zu\ncares %zu\n", (all - cares) / REQUESTS, cares / REQUESTS);
	return 0;
}
