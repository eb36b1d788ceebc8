/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"

/* For fabrics without and with a device that has to listen in its host's namespace. */
static enum layout known[2] = {LAYOUT_AUTO, LAYOUT_AUTO};

/* A device of the fabric that has to listen; NULL: there is none. */
static const struct device_ops *listener(const struct device_words *devices, int hosts)
{
	const struct device_type *type;
	size_t i;

	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(devices, hosts, type) && device_ops_of(type)->listens)
			return device_ops_of(type);
	return NULL;
}

void layout_note(const struct device_words *devices, int hosts, enum layout layout)
{
	known[listener(devices, hosts) != NULL] = layout;
}

static void count_dev(const struct rdma_dev *dev, void *arg)
{
	(void)dev;
	++*(int *)arg;
}

/*
 * Two signs show, without making anything, that only layout shared works. In exclusive
 * mode a process outside a device's namespace cannot use the device. And a driver that
 * listens although there is no device has one socket for the whole machine, so it does not
 * serve other namespaces.
 */
static int look_for_signs(struct netlink *nl, const struct device_ops *device, bool *shared_only,
			  struct vbm_error *err)
{
	bool visible, listens = false;
	int devices = 0, ret;

	ret = netlink_rdma_shared(nl, &visible, err);
	if (ret == 0)
		ret = netlink_rdma_each(nl, count_dev, &devices, err);
	if (ret == 0 && device)
		ret = device->listens(-1, &listens, err);
	if (ret == 0)
		*shared_only = !visible || (listens && devices == 0);
	return ret;
}

int layout_guess(const struct device_words *devices, int hosts, enum layout *layout, struct vbm_error *err)
{
	const struct device_ops *device = listener(devices, hosts);
	bool shared_only = false;
	struct netlink *nl;
	int ret;

	if (known[device != NULL] == LAYOUT_AUTO) {
		ret = netlink_open(&nl, -1, err);
		if (ret < 0)
			return ret;
		ret = look_for_signs(nl, device, &shared_only, err);
		netlink_close(nl);
		if (ret < 0)
			return ret;
		if (shared_only)
			known[device != NULL] = LAYOUT_SHARED;
	}
	*layout = known[device != NULL];
	return 0;
}
