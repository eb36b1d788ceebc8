/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "call/step-util.h"
#include "names/consts.h"
#include "names/host.h"
#include "net/nl.h"

/* Counts the resources of a process, so a scenario can see whether a call frees them. */

static int count_descriptors(int64_t *count, struct vbm_error *err)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *e;

	if (!dir)
		return vbm_fail(err, errno, "cannot read /proc/self/fd: %s", strerror(errno));
	/* The count starts at -1 because the folder's own descriptor is in the list. */
	for (*count = -1; (e = readdir(dir));)
		*count += e->d_name[0] != '.';
	closedir(dir);
	return 0;
}

static int read_resources(const struct host_info *host, struct rdma_resources *res,
			  struct vbm_error *err)
{
	struct netlink *nl;
	uint32_t index;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	ret = netlink_rdma_find(nl, host->dev, &index, err);
	if (ret == 0)
		ret = netlink_rdma_resources(nl, index, res, err);
	netlink_close(nl);
	return ret;
}

STEP(run_footprint)
{
	struct mallinfo2 heap = mallinfo2();
	struct rdma_resources res = {0};
	int64_t descriptors = 0;

	if (count_descriptors(&descriptors, err) < 0 || read_resources(ctx->host, &res, err) < 0)
		return -err->code;
	value_set_int(result, "return", 0);
	value_set_int(result, "descriptors", descriptors);
	value_set_int(result, "memory", (int64_t)(heap.uordblks + heap.hblkhd));
	value_set_int(result, "contexts", res.ctx);
	value_set_int(result, "pds", res.pd);
	value_set_int(result, "cqs", res.cq);
	value_set_int(result, "mrs", res.mr);
	value_set_int(result, "qps", res.qp);
	value_set_int(result, "srqs", res.srq);
	value_set_int(result, "ids", res.cm_id);
	return 0;
}

struct wanted_qp {
	uint32_t number;
	struct value *result;
	bool found;
};

static void note_qp(const struct rdma_object *o, void *arg)
{
	struct wanted_qp *w = arg;
	int64_t state = -1;

	if (!o->is_qp || o->number != w->number || w->found)
		return;
	w->found = true;
	if (o->state)
		const_lookup(&const_qp_state, o->state, &state);
	value_set_int(w->result, "return", 0);
	value_set_int(w->result, "errno", 0);
	value_set_int(w->result, "state", state);
	value_set_int(w->result, "dest_qp_num", o->peer);
	value_set_int(w->result, "pid", o->pid);
}

STEP(run_resource_qp)
{
	struct wanted_qp w = {
		.number = (uint32_t)value_get_int(args, "qp_num", 0), .result = result,
	};
	struct netlink *nl;
	uint32_t index;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	ret = netlink_rdma_find(nl, ctx->host->dev, &index, err);
	if (ret == 0)
		ret = netlink_rdma_objects(nl, index, note_qp, &w, err);
	netlink_close(nl);
	if (ret == 0 && !w.found) {
		value_set_int(result, "return", -1);
		value_set_int(result, "errno", ENOENT);
	}
	return ret;
}

static const struct param qp_params[] = {
	{.name = "qp_num", .type = PARAM_INT, .min = 0, .max = 0xffffff, .required = true,
	 .doc = "number of the queue pair"},
	{NULL},
};
static const struct field qp_fields[] = {
	F_INT("return", "0, or -1 if the device has no such queue pair"),
	F_CONST("errno", &const_errno, "ENOENT if the device has no such queue pair, else OK"),
	F_CONST("state", &const_qp_state, "its state"),
	F_INT("dest_qp_num", "number of its peer; 0: it has none"),
	F_INT("pid", "the process that made it; 0: the kernel"),
	{NULL},
};
static const struct field fields[] = {
	F_INT("return", "always 0"),
	F_INT("descriptors", "open descriptors of the process"),
	F_INT("memory", "bytes that the process has from malloc(3)"),
	F_INT("contexts", "open contexts of the host's device"),
	F_INT("pds", "protection domains of the device"),
	F_INT("cqs", "completion queues of the device"),
	F_INT("mrs", "memory regions of the device"),
	F_INT("qps", "queue pairs of the device"),
	F_INT("srqs", "shared receive queues of the device"),
	F_INT("ids", "rdma_cm identifiers on the device"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "footprint", .call = "proc(5)",
	 .doc = "Count the resources of the process, and the open objects on the device of its host.",
	 .fields = fields, .query = true, .run = run_footprint},
	{.name = "resource_qp", .call = "rdma-resource(8)",
	 .doc = "Look up a queue pair of the host's device, which may be that of a program.",
	 .params = qp_params, .fields = qp_fields, .query = true, .run = run_resource_qp},
	{NULL},
};

const struct step_family family_footprint = {
	"footprint", "Resources that calls leave behind.", steps
};
