/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "lib/base/fail.h"

/* The kernel's message about an object is also, nearly unchanged, the request that makes the object again. */

/* IFA_PROTO and IFAPROT_KERNEL_LL of Linux 5.18, which older headers do not have. */
#define ADDRESS_PROTO 11
#define PROTO_KERNEL_LL 3

#define TICKS_PER_SECOND 100	/* of times that the kernel tells programs: USER_HZ */

struct setting_visit {
	const struct setting_kind *kind;
	int ifindex;
	void (*fn)(const struct net_setting *setting, void *arg);
	void *arg;
	bool too_long;
};

/* One row for each enum netlink_setting. */
struct setting_kind {
	const char *name;
	int get, add, del;
	size_t header;		/* of the message, in bytes */
	/* Fills in what the caller asks for, and changes the header. False: the object is not one to put back. */
	bool (*read)(struct net_setting *s, void *header, struct nlattr *const *tb, int *ifindex);
	int drop[4];		/* attributes that the kernel does not take back; ends with 0 */
};

#define ATTRIBUTES_MAX 64
_Static_assert(IFA_MAX <= ATTRIBUTES_MAX && NDA_MAX <= ATTRIBUTES_MAX && RTA_MAX <= ATTRIBUTES_MAX, "one table has room for all");

static bool is_link_local(const struct ip_prefix *ip)
{
	return ip->family == AF_INET6 && ip->addr[0] == 0xfe && (ip->addr[1] & 0xc0) == 0x80;
}

/* The kernel makes temporary addresses and a link-local one by itself, perhaps later than this program would. */
static bool read_address(struct net_setting *s, void *header, struct nlattr *const *tb, int *ifindex)
{
	const struct ifaddrmsg *ifa = header;
	uint32_t flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;

	*ifindex = (int)ifa->ifa_index;
	if (ifa->ifa_family == AF_INET6 && flags & IFA_F_TEMPORARY)
		return false;
	if (tb[ADDRESS_PROTO] && nla_get_u8(tb[ADDRESS_PROTO]) == PROTO_KERNEL_LL)
		return false;
	return nl_get_ip(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS], ifa->ifa_family, ifa->ifa_prefixlen, &s->ip);
}

static bool read_neighbour(struct net_setting *s, void *header, struct nlattr *const *tb, int *ifindex)
{
	const struct ndmsg *nd = header;

	*ifindex = nd->ndm_ifindex;
	return nd->ndm_state & NUD_PERMANENT &&
	       nl_get_ip(tb[NDA_DST], nd->ndm_family, nd->ndm_family == AF_INET ? 32 : 128, &s->ip);
}

static int one_of_many(const struct nlattr *multipath, int ifindex)
{
	struct rtnexthop *nh = nla_data(multipath);
	int left = nla_len(multipath);

	for (; left >= (int)sizeof(*nh) && nh->rtnh_len >= sizeof(*nh) && nh->rtnh_len <= left;
	     left -= RTNH_ALIGN(nh->rtnh_len), nh = RTNH_NEXT(nh))
		if (nh->rtnh_ifindex == ifindex)
			return ifindex;
	return 0;
}

/* The kernel makes the routes of the table "local" with the addresses, and that to link-local ones. */
static bool read_route(struct net_setting *s, void *header, struct nlattr *const *tb, int *ifindex)
{
	struct rtmsg *rtm = header;
	uint32_t table = tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table;
	bool v6 = rtm->rtm_family == AF_INET6;

	if ((!v6 && rtm->rtm_family != AF_INET) || rtm->rtm_flags & RTM_F_CLONED || rtm->rtm_type == RTN_MULTICAST ||
	    (table == RT_TABLE_LOCAL && rtm->rtm_protocol == RTPROT_KERNEL))
		return false;
	if (tb[RTA_OIF])
		*ifindex = (int)nla_get_u32(tb[RTA_OIF]);
	else if (tb[RTA_MULTIPATH])
		*ifindex = one_of_many(tb[RTA_MULTIPATH], *ifindex);
	else
		*ifindex = 0;
	if (!nl_get_ip(tb[RTA_DST], rtm->rtm_family, rtm->rtm_dst_len, &s->ip))
		s->ip = (struct ip_prefix){.family = rtm->rtm_family};
	if (rtm->rtm_protocol == RTPROT_KERNEL && is_link_local(&s->ip))
		return false;
	s->direct = !tb[RTA_GATEWAY] && !tb[RTA_VIA] && !tb[RTA_MULTIPATH];
	s->protocol = rtm->rtm_protocol;
	rtm->rtm_flags &= RTNH_F_ONLINK;
	return true;
}

static const struct setting_kind setting_kinds[] = {
	[SETTING_ADDRESS] = {"address", RTM_GETADDR, RTM_NEWADDR, RTM_DELADDR, sizeof(struct ifaddrmsg),
			     read_address, {0}},
	[SETTING_NEIGHBOUR] = {"neighbour", RTM_GETNEIGH, RTM_NEWNEIGH, RTM_DELNEIGH, sizeof(struct ndmsg),
			       read_neighbour, {NDA_CACHEINFO, NDA_PROBES}},
	[SETTING_ROUTE] = {"route", RTM_GETROUTE, RTM_NEWROUTE, RTM_DELROUTE, sizeof(struct rtmsg),
			   read_route, {RTA_CACHEINFO}},
};

static bool append_aligned(struct net_setting *s, const void *bytes, size_t len)
{
	size_t room = NLMSG_ALIGN(len);

	if (s->len + room > sizeof(s->bytes))
		return false;
	memset(s->bytes + s->len, 0, room);
	memcpy(s->bytes + s->len, bytes, len);
	s->len += room;
	return true;
}

static bool is_dropped(const struct setting_kind *kind, int attribute)
{
	size_t i;

	for (i = 0; i < sizeof(kind->drop) / sizeof(kind->drop[0]) && kind->drop[i]; i++)
		if (kind->drop[i] == attribute)
			return true;
	return false;
}

/* A route that a router has announced ends at a time, which the request has in another form. */
static bool append_end(struct net_setting *s, const struct nlattr *info)
{
	struct {
		struct nlattr head;
		uint32_t seconds;
	} end = {{.nla_len = sizeof(end), .nla_type = RTA_EXPIRES}, 0};
	struct rta_cacheinfo cache = {0};

	if (!info)
		return true;
	memcpy(&cache, nla_data(info), (size_t)nla_len(info) < sizeof(cache) ? (size_t)nla_len(info) : sizeof(cache));
	if (cache.rta_expires <= 0)
		return true;
	end.seconds = (uint32_t)cache.rta_expires / TICKS_PER_SECOND + 1;
	return append_aligned(s, &end, sizeof(end));
}

static void visit_setting(struct nlmsghdr *hdr, void *arg)
{
	struct setting_visit *v = arg;
	const struct setting_kind *kind = v->kind;
	struct nlattr *tb[ATTRIBUTES_MAX + 1] = {NULL}, *attribute;
	struct net_setting s = {.len = 0};
	int ifindex = v->ifindex, left;
	bool fits;

	if (hdr->nlmsg_type != kind->add || nlmsg_parse(hdr, (int)kind->header, tb, ATTRIBUTES_MAX, NULL) < 0)
		return;
	if (!kind->read(&s, nlmsg_data(hdr), tb, &ifindex) || ifindex != v->ifindex)
		return;
	fits = append_aligned(&s, nlmsg_data(hdr), kind->header);
	nlmsg_for_each_attr(attribute, hdr, (int)kind->header, left)
		if (!is_dropped(kind, nla_type(attribute)))
			fits = fits && append_aligned(&s, attribute, attribute->nla_len);
	fits = fits && append_end(&s, kind == &setting_kinds[SETTING_ROUTE] ? tb[RTA_CACHEINFO] : NULL);
	v->too_long |= !fits;
	if (fits)
		v->fn(&s, v->arg);
}

int netlink_setting_each(struct netlink *nl, enum netlink_setting kind, int ifindex,
			 void (*fn)(const struct net_setting *setting, void *arg), void *arg, struct vbm_error *err)
{
	struct setting_visit v = {.kind = &setting_kinds[kind], .ifindex = ifindex, .fn = fn, .arg = arg};
	const uint8_t header[sizeof(struct ndmsg)] = {AF_UNSPEC};
	int ret = nl_transact(nl, NL_ROUTE, nl_request(v.kind->get, NLM_F_DUMP, header, v.kind->header), visit_setting, &v,
			      err, "cannot list each %s", v.kind->name);

	if (ret == 0 && v.too_long)
		return vbm_fail(err, EMSGSIZE, "a %s of interface %d has more than %d bytes", v.kind->name, ifindex, SETTING_MAX);
	return ret;
}

static int change_setting(struct netlink *nl, const struct setting_kind *kind, int type, int flags, const void *bytes,
			  size_t len, const char *verb, struct vbm_error *err)
{
	if (len < kind->header)
		return vbm_fail(err, EBADMSG, "%zu bytes are no %s", len, kind->name);
	return nl_transact(nl, NL_ROUTE, nl_request(type, flags, bytes, len), NULL, NULL, err, "cannot %s a %s", verb, kind->name);
}

int netlink_setting_put(struct netlink *nl, enum netlink_setting kind, const void *bytes, size_t len,
			struct vbm_error *err)
{
	const struct setting_kind *k = &setting_kinds[kind];

	return change_setting(nl, k, k->add, NLM_F_CREATE | NLM_F_REPLACE, bytes, len, "put back", err);
}

int netlink_setting_del(struct netlink *nl, enum netlink_setting kind, const void *bytes, size_t len,
			struct vbm_error *err)
{
	const struct setting_kind *k = &setting_kinds[kind];

	return change_setting(nl, k, k->del, 0, bytes, len, "remove", err);
}
