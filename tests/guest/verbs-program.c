/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of lib/verbs on a host's RDMA device: one point of TAP for each promise. With -DUNAWARE the calls have the names of libibverbs, for the
 * preload library.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../help/points.h"
#include "../help/shortage.h"

#ifdef UNAWARE
#include <infiniband/verbs.h>
#define CALL(name) ibv_##name
#else
#include "lib/verbs/verbs.h"
#define CALL(name) vbm_##name
#endif

#define OTHER ERANGE	/* in errno before a call */
#define NO_PORT 200


static struct ibv_context *open_first(void)
{
	struct ibv_device **list = CALL(get_device_list)(NULL);
	struct ibv_context *context = list && list[0] ? CALL(open_device)(list[0]) : NULL;

	if (list)
		CALL(free_device_list)(list);
	if (!context)
		die_errno("no device can be opened");
	return context;
}

#if SHORTAGE_WORKS
/* Each makes its call and undoes it. Returns 0, or errno when the call failed. */
static int try_list(struct ibv_context *context)
{
	struct ibv_device **list;
	int num = -1;

	(void)context;
	list = CALL(get_device_list)(&num);
	if (!list)
		return num ? EPROTO : errno;
	if (num < 1 || list[num])
		errno = EPROTO;
	CALL(free_device_list)(list);
	return errno == EPROTO ? EPROTO : 0;
}

static int try_open(struct ibv_context *context)
{
	context = CALL(open_device)(context->device);
	return context ? CALL(close_device)(context) : errno;
}

static int try_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = CALL(alloc_pd)(context);

	return pd ? CALL(dealloc_pd)(pd) : errno;
}

static int try_cq(struct ibv_context *context)
{
	struct ibv_cq *cq = CALL(create_cq)(context, 10, NULL, NULL, 0);

	return cq ? CALL(destroy_cq)(cq) : errno;
}

/*
 * Let each allocation fail in turn: the call succeeds as a whole, or says ENOMEM. Afterwards it
 * succeeds, and no memory is lost.
 */
static void without_memory(struct ibv_context *context, int (*call)(struct ibv_context *context),
			   const char *what)
{
	int n = -1, refused = 0, ret;
	long blocks;
	bool good;

	call(context);
	blocks = shortage_process_blocks();
	do {
		errno = OTHER;
		shortage_begin(SHORTAGE_OF_PROCESS, ++n);
		ret = call(context);
		shortage_end();
		refused += ret == ENOMEM;
		good = (!ret || (ret == ENOMEM && shortage_came())) && !call(context) &&
			shortage_process_blocks() == blocks;
	} while (good && shortage_came());
	if (!good)
		printf("# allocation %d: %s, %ld blocks more\n", n, strerror(ret),
		       shortage_process_blocks() - blocks);
	ok(good && refused, what);
}

/* libibverbs keeps a device for as long as it is open, so none is. */
static void list_without_memory(void)
{
	without_memory(NULL, try_list, "without memory there is no list, and ENOMEM");
}

static void each_without_memory(struct ibv_context *context)
{
	without_memory(context, try_open, "without memory no device is opened, and ENOMEM");
	without_memory(context, try_pd, "without memory there is no domain, and ENOMEM");
	without_memory(context, try_cq, "without memory there is no queue, and ENOMEM");
}
#else
static void list_without_memory(void)
{
}

static void each_without_memory(struct ibv_context *context)
{
	(void)context;
}
#endif

static void without_descriptors(void)
{
	struct rlimit before, none;
	struct ibv_device **list;
	int num = -1, next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &none);
	list = CALL(get_device_list)(&num);
	ok(!list && errno == EMFILE && num == 0, "without a descriptor there is no list, and EMFILE");
	setrlimit(RLIMIT_NOFILE, &before);
}

static void close_fails(void)
{
	struct ibv_context *context = open_first();
	int fd = context->cmd_fd, kept = dup(fd);

	close(fd);
	ok(CALL(close_device)(context) == -1 && errno == EBADF, "a lost descriptor: -1 and EBADF");
	if (pipe((int[2]){0, 0}))
		puts("# no pipe");
	ok(CALL(close_device)(context) == -1 && errno == EBADF,
	   "and when another file has its number");
	dup2(kept, fd);
	close(kept);
	errno = OTHER;
	ok(CALL(close_device)(context) == 0 && errno == OTHER, "with it the context is whole, and closes");
}

static bool gid_refused(struct ibv_context *context, int port, int index)
{
	union ibv_gid gid;

	errno = OTHER;
	return CALL(query_gid)(context, (uint8_t)port, index, &gid) == -1 && errno == EINVAL;
}

static void queries(struct ibv_context *context)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;

	/* The preload library leaves the port to the headers. */
	ok(CALL(query_port)(context, 1, &port) == 0 && port.gid_tbl_len > 0, "the port is asked");
	ok(CALL(query_port)(context, NO_PORT, &port) == EINVAL, "which is EINVAL if there is none");
	CALL(query_port)(context, 1, &port);
	errno = OTHER;
	ok(CALL(query_device)(context, &device) == 0 && device.phys_port_cnt == 1, "and the device");
	ok(CALL(query_gid)(context, 1, 0, &gid) == 0 && gid.raw[0], "and a GID");
	ok(errno == OTHER, "errno stays as it was");
	ok(gid_refused(context, 1, -1) && gid_refused(context, 1, port.gid_tbl_len) &&
	   gid_refused(context, NO_PORT, 0), "an index or a port out of range: -1 and EINVAL");
}

static void objects(struct ibv_context *context)
{
	struct ibv_pd *pd = CALL(alloc_pd)(context);
	static char memory[4096];
	struct ibv_cq *cq;
	struct ibv_mr *mr;

	if (!pd || !(mr = ibv_reg_mr(pd, memory, sizeof(memory), 0)))
		die_errno("no domain or region");
	errno = OTHER;
	ok(CALL(dealloc_pd)(pd) == EBUSY && errno == OTHER, "a domain that is in use: EBUSY");
	ibv_dereg_mr(mr);
	ok(CALL(dealloc_pd)(pd) == 0, "and 0 when it is not");
	cq = CALL(create_cq)(context, 10, memory, NULL, context->num_comp_vectors - 1);
	ok(cq && cq->cqe >= 10 && cq->cq_context == memory, "a queue of the last vector");
	ok(cq && CALL(destroy_cq)(cq) == 0, "and its end");
	errno = OTHER;
	ok(!CALL(create_cq)(context, 10, NULL, NULL, context->num_comp_vectors) && errno == EINVAL,
	   "a vector beyond it: EINVAL");
	errno = OTHER;
	ok(!CALL(create_cq)(context, 0, NULL, NULL, 0) && errno == EINVAL, "no entry: EINVAL");
}

int main(void)
{
	struct ibv_context *context;

	list_without_memory();
	context = open_first();
	queries(context);
	objects(context);
	each_without_memory(context);
	without_descriptors();
	close_fails();
	ok(CALL(close_device)(context) == 0, "the device closes");
	return end_points();
}
