/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares address resolution with librdmacm's, in one process: resolve [PEER]. Prints one
 * line for each figure: NAME NANOSECONDS. PEER is an address whose route uses an RDMA
 * device.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <verbatim/addrinfo.h>

typedef int translate_call(const char *, const char *, const struct rdma_addrinfo *,
			   struct rdma_addrinfo **);
typedef void free_call(struct rdma_addrinfo *);

#define ROUNDS 40

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The time in which the kernel finds the source address for @peer. */
static int route(const char *peer)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(7471)}, own;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(own);
	int ret;

	inet_pton(AF_INET, peer, &in.sin_addr);
	ret = connect(fd, (struct sockaddr *)&in, sizeof(in)) ||
	      getsockname(fd, (struct sockaddr *)&own, &len);
	close(fd);
	return ret;
}

/* One figure. Without a call: the bare look-up. */
struct figure {
	const char *name;
	translate_call *call;
	free_call *release;
	int flags, count;
	double best;
};

static struct figure figures[] = {
	{"passive_reference", vbm_getaddrinfo, vbm_freeaddrinfo, RAI_PASSIVE, 2000, 1e18},
	{"passive_librdmacm", rdma_getaddrinfo, rdma_freeaddrinfo, RAI_PASSIVE, 2000, 1e18},
	{"active_reference", vbm_getaddrinfo, vbm_freeaddrinfo, 0, 100, 1e18},
	{"active_librdmacm", rdma_getaddrinfo, rdma_freeaddrinfo, 0, 100, 1e18},
	{"route_lookup", NULL, NULL, 0, 100, 1e18},
};

static int measure(struct figure *f, const char *peer)
{
	struct rdma_addrinfo hints, *res;
	double begin = now_ns(), each;

	memset(&hints, 0, sizeof(hints));
	hints.ai_flags = f->flags;
	hints.ai_qp_type = IBV_QPT_RC;
	hints.ai_port_space = RDMA_PS_TCP;
	for (int i = 0; i < f->count; i++) {
		if (!f->call) {
			if (route(peer))
				return 1;
		} else {
			if (f->call(peer, "7471", &hints, &res))
				return 1;
			f->release(res);
		}
	}
	each = (now_ns() - begin) / f->count;
	if (each < f->best)
		f->best = each;
	return 0;
}

/*
 * The figures take turns, and the best value of each counts, so that other load affects
 * all of them.
 */
int main(int argc, char **argv)
{
	const char *peer = argc > 1 ? argv[1] : "127.0.0.1";
	size_t count = sizeof(figures) / sizeof(figures[0]);

	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++)
			if (measure(&figures[i], peer)) {
				fprintf(stderr, "%s failed\n", figures[i].name);
				return 1;
			}
	for (size_t i = 0; i < count; i++)
		printf("%s %.0f\n", figures[i].name, figures[i].best);
	return 0;
}
