/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/consts.h"
#include "names/device-types.h"
#include "net/nl.h"

static struct nl_msg *rdma_request(int cmd, int flags)
{
	return nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags, NULL, 0);
}

/* About a device, and about a port of it; 0: no port. */
static struct nl_msg *device_request(int cmd, int flags, uint32_t index, uint32_t port)
{
	struct nl_msg *msg = rdma_request(cmd, flags);

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	if (msg && port)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	return msg;
}

int netlink_rdma_add(struct netlink *nl, const struct device_type *type, const char *name,
		     const char *netdev, struct vbm_error *err)
{
	struct nl_msg *msg = rdma_request(RDMA_NLDEV_CMD_NEWLINK, 0);
	struct vbm_error inner;
	int ret;

	if (msg) {
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, type->name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	}
	ret = nl_transact(nl, NL_RDMA, msg, NULL, NULL, &inner, "cannot make the %s device %s on %s",
		      type->name, name, netdev);
	if (ret == 0)
		return 0;
	if (ret == -EINVAL)
		return vbm_fail(err, EINVAL, "%s: is the module there? Try 'modprobe %s'", inner.msg,
				type->module);
	if (ret == -ENOENT && type->first_need)
		return vbm_fail(err, ENOENT, "%s: this kernel's %s needs 'modprobe %s'", inner.msg,
				type->name, type->first_need);
	return vbm_fail(err, -ret, "%s", inner.msg);
}

struct rdma_visit {
	void (*fn)(const struct rdma_dev *dev, void *arg);
	void *arg;
};

static void read_dev(struct nlmsghdr *hdr, void *arg)
{
	const struct rdma_visit *visit = arg;
	const struct nlattr *index = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_DEV_INDEX);
	const struct nlattr *name = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_DEV_NAME);
	struct rdma_dev dev;

	if (!index || !name)
		return;
	dev.index = nla_get_u32(index);
	nla_strlcpy(dev.name, name, sizeof(dev.name));
	visit->fn(&dev, visit->arg);
}

int netlink_rdma_each(struct netlink *nl, void (*fn)(const struct rdma_dev *dev, void *arg),
		      void *arg, struct vbm_error *err)
{
	struct rdma_visit visit = {fn, arg};

	return nl_transact(nl, NL_RDMA, rdma_request(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), read_dev, &visit,
		       err, "cannot list the RDMA devices");
}

struct find {
	const char *name;
	uint32_t index;
	bool found;
};

static void match_dev(const struct rdma_dev *dev, void *arg)
{
	struct find *find = arg;

	if (strcmp(dev->name, find->name))
		return;
	find->index = dev->index;
	find->found = true;
}

int netlink_rdma_find(struct netlink *nl, const char *name, uint32_t *index,
		      struct vbm_error *err)
{
	struct find find = {.name = name};
	int ret = netlink_rdma_each(nl, match_dev, &find, err);

	if (ret < 0)
		return ret;
	if (!find.found)
		return vbm_fail(err, ENODEV, "there is no RDMA device %s", name);
	*index = find.index;
	return 0;
}

int netlink_rdma_del(struct netlink *nl, const char *name, struct vbm_error *err)
{
	uint32_t index;
	int ret = netlink_rdma_find(nl, name, &index, err);

	if (ret < 0)
		return ret;
	return nl_transact(nl, NL_RDMA, device_request(RDMA_NLDEV_CMD_DELLINK, 0, index, 0), NULL, NULL, err,
			   "cannot remove the RDMA device %s", name);
}

static const struct {
	const char *name;
	size_t offset;
} counter[] = {
	{"qp", offsetof(struct rdma_resources, qp)},
	{"cq", offsetof(struct rdma_resources, cq)},
	{"mr", offsetof(struct rdma_resources, mr)},
	{"pd", offsetof(struct rdma_resources, pd)},
	{"cm_id", offsetof(struct rdma_resources, cm_id)},
	{"ctx", offsetof(struct rdma_resources, ctx)},
	{"srq", offsetof(struct rdma_resources, srq)},
};

static void read_resources(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *summary = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_RES_SUMMARY), *entry, *name, *count;
	struct rdma_resources *res = arg;
	size_t i;
	int rem;

	if (!summary)
		return;
	nla_for_each_nested(entry, summary, rem) {
		name = nla_find(nla_data(entry), nla_len(entry),
				RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME);
		count = nla_find(nla_data(entry), nla_len(entry),
				 RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR);
		for (i = 0; name && count && i < ARRAY_SIZE(counter); i++)
			if (nla_strcmp(name, counter[i].name) == 0)
				*(unsigned *)((char *)res + counter[i].offset) =
					(unsigned)nla_get_u64(count);
	}
}

int netlink_rdma_resources(struct netlink *nl, uint32_t index, struct rdma_resources *res,
			   struct vbm_error *err)
{
	memset(res, 0, sizeof(*res));
	return nl_transact(nl, NL_RDMA, device_request(RDMA_NLDEV_CMD_RES_GET, 0, index, 0), read_resources, res, err,
			   "cannot count the resources of RDMA device %u", index);
}

static void read_mode(struct nlmsghdr *hdr, void *arg)
{
	const struct nlattr *mode = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);

	if (mode)
		*(bool *)arg = nla_get_u8(mode) != 0;
}

int netlink_rdma_shared(struct netlink *nl, bool *shared, struct vbm_error *err)
{
	*shared = true;		/* kernels that do not send the attribute have no other mode */
	return nl_transact(nl, NL_RDMA, rdma_request(RDMA_NLDEV_CMD_SYS_GET, 0), read_mode, shared, err,
		       "cannot read the RDMA subsystem's namespace mode");
}

/* The kernel's numbers, by index. No header has them; rdma(8) uses the same names. */
static const char *const qp_types[] = {"SMI", "GSI", "RC", "UC", "UD"};
static const char *const id_states[] = {
	"IDLE", "ADDR_QUERY", "ADDR_RESOLVED", "ROUTE_QUERY", "ROUTE_RESOLVED", "CONNECT",
	"DISCONNECT", "ADDR_BOUND", "LISTEN", "DEVICE_REMOVAL", "DESTROYING",
};

struct visit {
	void (*fn)(const struct rdma_object *object, void *arg);
	void *arg;
};

static const char *name_of(const struct nlattr *attr, const char *const *names, size_t count)
{
	return attr && nla_get_u8(attr) < count ? names[nla_get_u8(attr)] : "?";
}

static const char *qp_state(const struct nlattr *attr)
{
	const char *name = attr ? const_name(&const_qp_state, nla_get_u8(attr)) : NULL;

	return name ? name : "?";
}

static uint32_t number_of(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static void format_address(const struct nlattr *attr, char *out, size_t size)
{
	struct sockaddr_storage addr = {0};
	const struct sockaddr_in *in4 = (const void *)&addr;
	const struct sockaddr_in6 *in6 = (const void *)&addr;
	char text[INET6_ADDRSTRLEN] = "?";

	*out = '\0';
	if (!attr)
		return;
	memcpy(&addr, nla_data(attr),
	       (size_t)nla_len(attr) < sizeof(addr) ? (size_t)nla_len(attr) : sizeof(addr));
	if (addr.ss_family == AF_INET &&
	    inet_ntop(AF_INET, &in4->sin_addr, text, sizeof(text)))
		snprintf(out, size, "%s:%u", text, ntohs(in4->sin_port));
	else if (addr.ss_family == AF_INET6 &&
		 inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)))
		snprintf(out, size, "[%s]:%u", text, ntohs(in6->sin6_port));
}

static void read_entry(struct nlattr *entry, bool is_qp, const struct visit *visit)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct rdma_object o = {.is_qp = is_qp};

	if (nla_parse_nested(tb, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL) < 0)
		return;
	o.number = number_of(tb[RDMA_NLDEV_ATTR_RES_LQPN]);
	o.peer = number_of(tb[RDMA_NLDEV_ATTR_RES_RQPN]);
	o.pid = (int)number_of(tb[RDMA_NLDEV_ATTR_RES_PID]);
	o.type = name_of(tb[RDMA_NLDEV_ATTR_RES_TYPE], qp_types, ARRAY_SIZE(qp_types));
	o.state = is_qp ? qp_state(tb[RDMA_NLDEV_ATTR_RES_STATE]) :
			  name_of(tb[RDMA_NLDEV_ATTR_RES_STATE], id_states,
				  ARRAY_SIZE(id_states));
	if (tb[RDMA_NLDEV_ATTR_RES_KERN_NAME])
		o.kernel = nla_get_string(tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]);
	format_address(tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR], o.from, sizeof(o.from));
	format_address(tb[RDMA_NLDEV_ATTR_RES_DST_ADDR], o.to, sizeof(o.to));
	visit->fn(&o, visit->arg);
}

static void read_table(struct nlmsghdr *hdr, int table, bool is_qp, const struct visit *visit)
{
	struct nlattr *list = nlmsg_find_attr(hdr, 0, table), *entry;
	int rem;

	if (!list)
		return;
	nla_for_each_nested(entry, list, rem)
		read_entry(entry, is_qp, visit);
}

static void read_qps(struct nlmsghdr *hdr, void *arg)
{
	read_table(hdr, RDMA_NLDEV_ATTR_RES_QP, true, arg);
}

static void read_ids(struct nlmsghdr *hdr, void *arg)
{
	read_table(hdr, RDMA_NLDEV_ATTR_RES_CM_ID, false, arg);
}

int netlink_rdma_objects(struct netlink *nl, uint32_t index,
			 void (*fn)(const struct rdma_object *object, void *arg), void *arg,
			 struct vbm_error *err)
{
	static const struct {
		int cmd;
		nl_reply_fn reply;
	} kinds[] = {
		{RDMA_NLDEV_CMD_RES_QP_GET, read_qps},
		{RDMA_NLDEV_CMD_RES_CM_ID_GET, read_ids},
	};
	struct visit visit = {fn, arg};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < ARRAY_SIZE(kinds); i++)
		ret = nl_transact(nl, NL_RDMA, device_request(kinds[i].cmd, NLM_F_DUMP, index, 0), kinds[i].reply, &visit,
				  err, "cannot list the open objects of RDMA device %u", index);
	return ret;
}

struct listen_visit {
	void (*fn)(int pid, void *arg);
	void *arg;
};

/* An id of the kernel has a name and no process. */
static void see_listener(const struct rdma_object *id, void *arg)
{
	const struct listen_visit *visit = arg;

	if (id->pid && !strcmp(id->state, "LISTEN"))
		visit->fn(id->pid, visit->arg);
}

int netlink_rdma_listeners(struct netlink *nl, uint32_t index, void (*fn)(int pid, void *arg),
			   void *arg, struct vbm_error *err)
{
	struct listen_visit listeners = {fn, arg};
	struct visit visit = {see_listener, &listeners};

	return nl_transact(nl, NL_RDMA, device_request(RDMA_NLDEV_CMD_RES_CM_ID_GET, NLM_F_DUMP, index, 0), read_ids, &visit,
			   err, "cannot list the connections of RDMA device %u", index);
}

/* The counters of a port that its driver keeps, as "rdma statistic show" prints them. */
struct counter_visit {
	void (*fn)(const char *name, uint64_t value, void *arg);
	void *arg;
};

static void read_counters(struct nlmsghdr *hdr, void *arg)
{
	const struct counter_visit *visit = arg;
	struct nlattr *list = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS), *entry, *name, *value;
	int rem;

	if (!list)
		return;
	nla_for_each_nested(entry, list, rem) {
		name = nla_find(nla_data(entry), nla_len(entry),
				RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME);
		value = nla_find(nla_data(entry), nla_len(entry),
				 RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
		if (name && value)
			visit->fn(nla_get_string(name), nla_get_u64(value), visit->arg);
	}
}

int netlink_rdma_counters(struct netlink *nl, uint32_t index, uint32_t port,
			  void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			  struct vbm_error *err)
{
	struct counter_visit visit = {fn, arg};

	return nl_transact(nl, NL_RDMA, device_request(RDMA_NLDEV_CMD_STAT_GET, 0, index, port), read_counters, &visit, err,
			   "cannot read the counters of RDMA device %u", index);
}

/* The first counter with a given name. */
struct counter_search {
	const char *name;
	uint64_t value;
	bool found;
};

static void match_counter_name(const char *name, uint64_t value, void *arg)
{
	struct counter_search *w = arg;

	if (strcmp(name, w->name) != 0)
		return;
	w->value = value;
	w->found = true;
}

int netlink_rdma_counter(struct netlink *nl, uint32_t index, uint32_t port, const char *name,
			 uint64_t *value, struct vbm_error *err)
{
	struct counter_search w = {.name = name};
	int ret = netlink_rdma_counters(nl, index, port, match_counter_name, &w, err);

	if (ret < 0)
		return ret;
	*value = w.value;
	return w.found ? 0 : vbm_fail(err, ENOENT, "RDMA device %u has no counter '%s'", index, name);
}

static void read_node(struct nlmsghdr *hdr, void *arg)
{
	const struct nlattr *number = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_CHARDEV);
	const struct nlattr *name = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_CHARDEV_NAME);
	struct rdma_node *node = arg;

	if (!number || !name)
		return;
	node->number = (dev_t)nla_get_u64(number);
	nla_strlcpy(node->name, name, sizeof(node->name));
}

int netlink_rdma_node(struct netlink *nl, const char *client, const struct rdma_port *of,
		      struct rdma_node *node, struct vbm_error *err)
{
	struct nl_msg *msg = of ? device_request(RDMA_NLDEV_CMD_GET_CHARDEV, 0, of->device, of->port) :
				  rdma_request(RDMA_NLDEV_CMD_GET_CHARDEV, 0);
	int ret;

	*node = (struct rdma_node){0};
	if (msg)
		nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, client);
	ret = nl_transact(nl, NL_RDMA, msg, read_node, node, err, "cannot find the node of %s", client);
	if (ret == 0 && !node->name[0])
		ret = vbm_fail(err, ENOENT, "%s has no node", client);
	return ret;
}

static void read_netdev(struct nlmsghdr *hdr, void *arg)
{
	const struct nlattr *name = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_NDEV_NAME);

	if (name)
		nla_strlcpy(arg, name, NETLINK_NETDEV_MAX);
}

int netlink_rdma_netdev(struct netlink *nl, uint32_t index, uint32_t port, char name[NETLINK_NETDEV_MAX],
			struct vbm_error *err)
{
	name[0] = '\0';
	return nl_transact(nl, NL_RDMA, device_request(RDMA_NLDEV_CMD_PORT_GET, 0, index, port), read_netdev, name, err,
			   "cannot ask for the interface of RDMA device %u", index);
}
