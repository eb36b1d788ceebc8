/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/xalloc.h"
#include "names/consts.h"

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
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry;
	int rem;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 || !tb[table])
		return;
	nla_for_each_nested(entry, tb[table], rem)
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
	struct nl_msg *msg;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < ARRAY_SIZE(kinds); i++) {
		msg = nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, kinds[i].cmd), NLM_F_DUMP, NULL, 0);
		if (msg)
			nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		ret = nl_transact(nl, NL_RDMA, msg, kinds[i].reply, &visit, err,
			      "cannot list the open objects of RDMA device %u", index);
	}
	return ret;
}
