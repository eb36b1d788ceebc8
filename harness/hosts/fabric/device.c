/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

#define READY_DEADLINE_MS 5000

static const struct device_ops types[] = {
	{"rxe", gid_look_roce, gid_explain_roce, probe_roce_port_bound},
	{"siw", gid_look_iwarp, gid_explain_iwarp, NULL},
};

const struct device_ops *device_ops_of(const struct device_type *type)
{
	const char *name = device_type_or_default(type)->name;
	size_t i;

	for (i = 0; strcmp(types[i].type, name); i++)
		;
	return &types[i];
}

/* rxe of kernels before 7.1 listens in the first network namespace only. */
static int check_listens(const struct device_ops *ops, const struct host *host, struct vbm_error *err)
{
	bool does = true;
	int ret = ops->listens ? ops->listens(host->netns, &does, err) : 0;

	if (ret < 0 || does)
		return ret;
	return vbm_fail(err, EOPNOTSUPP,
			"%s does not listen in the network of host %s: before Linux 7.1 it carries packets in "
			"the machine's first network namespace only%s", ops->type, host->info.name,
			host->netns >= 0 ? "; use --layout shared" : ", and this is another one");
}

int device_make(struct fabric *fabric, struct host *host, struct vbm_error *err)
{
	int ret;

	ret = undo_push(fabric->undo, err, "rdma", host->info.dev, NULL);
	if (ret == 0)
		ret = netlink_rdma_add(host->nl, host->info.type, host->info.dev, host->info.netdev, err);
	if (ret == 0)
		ret = netlink_rdma_find(host->nl, host->info.dev, &host->rdma_index, err);
	return ret < 0 ? ret : check_listens(host->device, host, err);
}

struct ibv_context *device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

static int wait_event(struct ibv_context *context, int64_t deadline_ns)
{
	struct pollfd pfd = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	int ret;

	ret = poll(&pfd, 1, clock_left_ms(deadline_ns));
	if (ret < 0 && errno == EINTR)
		return 0;
	if (ret <= 0)
		return ret < 0 ? -errno : -ETIMEDOUT;
	if (ibv_get_async_event(context, &event) < 0)
		return -errno;
	ibv_ack_async_event(&event);
	return 0;
}

/*
 * The kernel fills a device's GID table, and brings its port into service, partly in the
 * background. The device reports each change by an asynchronous event, so it has to be
 * open here.
 */
int device_wait(struct host *host, struct vbm_error *err)
{
	const struct device_ops *ops = host->device;
	int64_t deadline_ns = clock_deadline_ms(READY_DEADLINE_MS);
	struct ibv_context *context;
	int ret = 0;

	if (ops->look(host))
		return 0;
	context = device_open(host->info.dev);
	if (!context)
		return vbm_fail(err, errno ? errno : ENODEV,
				"cannot open the RDMA device %s of host %s (is ib_uverbs loaded?)",
				host->info.dev, host->info.name);
	while (!ops->look(host) && ret == 0)
		ret = wait_event(context, deadline_ns);
	ibv_close_device(context);
	return ops->look(host) ? 0 : ops->explain(host, err);
}
