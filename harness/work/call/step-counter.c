/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/step-util.h"
#include "names/host.h"
#include "net/nl.h"

static int read_counter(struct netlink *nl, const struct host_info *host, const char *name,
			uint64_t *value, struct vbm_error *err)
{
	uint32_t index;
	int ret = netlink_rdma_find(nl, host->dev, &index, err);

	return ret < 0 ? ret : netlink_rdma_counter(nl, index, (uint32_t)host->port, name, value, err);
}

STEP(run_read_counter)
{
	struct netlink *nl;
	uint64_t value = 0;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	ret = read_counter(nl, ctx->host, value_get_string(args, "name", ""), &value, err);
	netlink_close(nl);
	value_set_int(result, "return", 0);
	value_set_int(result, "value", (int64_t)value);
	return ret;
}

static const struct param counter_params[] = {
	{.name = "name", .type = PARAM_STRING, .required = true,
	 .doc = "the name of the counter in \"rdma statistic show\""},
	{NULL},
};
static const struct field counter_fields[] = {
	F_INT("return", "always 0"),
	{.name = "value", .type = FIELD_INT, .doc = "its value since the device came up"},
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "read_counter", .call = "rdma-statistic(8)",
	 .doc = "Read a counter that the driver keeps for the port of the host's device.",
	 .params = counter_params, .fields = counter_fields, .query = true,
	 .run = run_read_counter},
	{NULL},
};

const struct step_family family_counter = {
	"counter", "Counters of a driver.", steps, .only_objects = true
};
