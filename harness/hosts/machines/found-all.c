/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "machines/found.h"

struct devices {
	struct rdma_dev *all;	/* owned */
	size_t count;
};

static void note_device(const struct rdma_dev *dev, void *arg)
{
	struct devices *s = arg;

	GROW(s->all, s->count);
	s->all[s->count++] = *dev;
}

/* Looks as a run would if its hosts file named the device. */
static struct value *try_device(const char *name)
{
	auto_value struct value *wanted = value_map();
	struct value *said = NULL;
	struct fabric *fabric = NULL;
	struct vbm_error err = {0};
	char driver[32];

	value_set_string(wanted, "name", "a");
	value_set_string(wanted, "device", name);
	if (found_fabric(&fabric, &(struct found_options){.wanted = wanted}, &err) < 0 || found_describe(fabric, &said, &err) < 0) {
		said = value_map();
		driver_name(name, driver, sizeof(driver));
		value_set_string(said, "driver", driver);
		value_set_string(said, "error", err.msg);
	}
	fabric_free(fabric);
	value_set_string(said, "device", name);
	return said;
}

/* The kernel shows the devices of other network namespaces, too: those of the fabric's other hosts. */
static bool is_left_out(struct netlink *nl, const struct rdma_dev *dev, bool of_runs)
{
	char netdev[NETLINK_NETDEV_MAX];

	if (fabric_run_of_rdma(dev->name) < 0)
		return false;
	return !of_runs || netlink_rdma_netdev(nl, dev->index, 1, netdev, NULL) < 0 || !netdev[0];
}

int found_all(struct value **out, bool of_runs, struct vbm_error *err)
{
	struct devices s = {0};
	struct netlink *nl;
	size_t i;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	*out = value_list();
	ret = netlink_rdma_each(nl, note_device, &s, err);
	for (i = 0; ret == 0 && i < s.count; i++)
		if (!is_left_out(nl, &s.all[i], of_runs))
			value_append(*out, try_device(s.all[i].name));
	netlink_close(nl);
	free(s.all);
	if (ret < 0)
		value_free(*out);
	return ret;
}
