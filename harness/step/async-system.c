/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/target.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

#define UCMA_DEVICE "/dev/infiniband/rdma_cm"
/* Newer than the headers this may be built with. */
#define UCMA_WRITE_CM_EVENT 24
#define UCMA_EVENT_USER 18

/* An identifier that nobody has: nothing but the answer can come of it. */
#define UCMA_NO_ID UINT32_MAX

struct ucma_write_event {
	uint32_t cmd;
	uint16_t in, out;
	uint32_t id, reserved, event, status;
	uint64_t rest[56];	/* more than the kernel will read */
};

/* So are these: found by name. */
static int (*resolve_addrinfo)(struct rdma_cm_id *id, const char *node, const char *service,
			       const struct rdma_addrinfo *hints);
static int (*query_addrinfo)(struct rdma_cm_id *id, struct rdma_addrinfo **info);

struct resolver {
	struct rdma_event_channel *channel;	/* owned */
	struct rdma_cm_id *id;			/* owned */
};

static void system_destroy(struct resolver *r)
{
	if (r->id)
		rdma_destroy_id(r->id);
	if (r->channel)
		rdma_destroy_event_channel(r->channel);
	free(r);
}

static int make(struct resolver *r, const struct sockaddr *bind)
{
	union {
		const struct sockaddr *in;
		struct sockaddr *out;
	} address = {bind};

	r->channel = rdma_create_event_channel();
	if (!r->channel || fcntl(r->channel->fd, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	if (rdma_create_id(r->channel, &r->id, NULL, RDMA_PS_TCP) < 0)
		return -1;
	return bind ? rdma_bind_addr(r->id, address.out) : 0;
}

static int system_create(struct resolver **out, const struct sockaddr *bind)
{
	struct resolver *r = xcalloc(1, sizeof(*r));
	int saved;

	if (make(r, bind) < 0) {
		saved = errno;
		system_destroy(r);
		errno = saved;
		return -1;
	}
	*out = r;
	return 0;
}

static int system_fd(const struct resolver *r)
{
	return r->channel->fd;
}

static int system_resolve(struct resolver *r, const char *node, const char *service,
			  const struct rdma_addrinfo *hints)
{
	return resolve_addrinfo(r ? r->id : NULL, node, service, hints);
}

static int system_next(struct resolver *r, int *event, int *status)
{
	struct rdma_cm_event *e;

	if (rdma_get_cm_event(r->channel, &e) < 0)
		return -1;
	*event = (int)e->event;
	*status = e->status;
	return rdma_ack_cm_event(e);
}

static int system_query(struct resolver *r, struct rdma_addrinfo **info)
{
	return query_addrinfo(r->id, info);
}

static const struct async_ops ops = {
	.create = system_create,
	.fd = system_fd,
	.resolve = system_resolve,
	.next = system_next,
	.query = system_query,
	.destroy = system_destroy,
};

bool ucma_takes_events(const char *device)
{
	struct ucma_write_event w = {
		.cmd = UCMA_WRITE_CM_EVENT,
		.in = sizeof(w) - 8,
		.id = UCMA_NO_ID,
		.event = UCMA_EVENT_USER,
	};
	auto_close int fd = open(device, O_RDWR | O_CLOEXEC);

	/* A kernel that knows the command misses the identifier: ENOENT. */
	return fd < 0 || write(fd, &w, sizeof(w)) >= 0 || errno != EINVAL;
}

const struct async_ops *async_system(void *handle)
{
	void *resolve = dlsym(handle ? handle : RTLD_DEFAULT, "rdma_resolve_addrinfo");
	void *query = dlsym(handle ? handle : RTLD_DEFAULT, "rdma_query_addrinfo");

	if (!resolve || !query || (!handle && !ucma_takes_events(UCMA_DEVICE)))
		return NULL;
	memcpy(&resolve_addrinfo, &resolve, sizeof(resolve));
	memcpy(&query_addrinfo, &query, sizeof(query));
	return &ops;
}
