/* SPDX-License-Identifier: BSD-2-Clause */
#include "machines/found.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "names/rdma-core.h"
#include "net/netns.h"
#include "base/address.h"

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

/* All devices that fit, to choose the only one. */
struct device_search {
	struct netlink *nl;
	const char *device, *netdev;	/* NULL: any */
	const char *help;		/* how the run could make one; begins with a semicolon, or is empty */
	struct text names, strangers;	/* owned; those that fit, and the others */
	int count;
	struct host *host;
};

static void consider(struct device_search *s, const struct rdma_dev *dev)
{
	char netdev[NETLINK_NETDEV_MAX];

	if (netlink_rdma_netdev(s->nl, dev->index, 1, netdev, NULL) < 0)
		netdev[0] = '\0';
	if ((s->device && strcmp(dev->name, s->device)) || (s->netdev && strcmp(netdev, s->netdev)) || !netdev[0]) {
		text_addf(&s->strangers, "%s%s (%s)", s->strangers.len ? ", " : "", dev->name,
			  netdev[0] ? netdev : "no interface here");
		return;
	}
	text_addf(&s->names, "%s%s (%s)", s->count ? ", " : "", dev->name, netdev);
	s->count++;
	s->host->rdma_index = dev->index;
	snprintf(s->host->info.dev, sizeof(s->host->info.dev), "%.31s", dev->name);
	snprintf(s->host->info.netdev, sizeof(s->host->info.netdev), "%s", netdev);
}

static int require_one_device(const struct device_search *s, struct vbm_error *err)
{
	if (s->count == 1)
		return 0;
	if (s->count)
		return vbm_fail(err, EINVAL, "it has %d RDMA devices: %s; name one with 'device:' or 'interface:'",
				s->count, s->names.s);
	if (s->strangers.len && (s->device || s->netdev))
		return vbm_fail(err, ENODEV, "it has no RDMA device %s%s%s, only: %s%s",
				s->device ? s->device : "", s->netdev ? "on the interface " : "",
				s->netdev ? s->netdev : "", s->strangers.s, s->help);
	return vbm_fail(err, ENODEV, "it has no RDMA device with a network interface%s%s; see 'rdma link' there%s",
			s->strangers.len ? ", only: " : "", s->strangers.len ? s->strangers.s : "", s->help);
}

static int find_device(struct fabric *fabric, struct host *host, const struct value *wanted,
		       struct vbm_error *err)
{
	struct device_search s = {
		.nl = fabric->nl,
		.device = value_get_string(wanted, "device", NULL),
		.netdev = value_get_string(wanted, "interface", NULL),
		.help = value_get(wanted, "make") ? "; with --may-configure the run makes one for its time" : "",
		.host = host,
	};
	struct devices devices = {0};
	int ret = netlink_rdma_each(fabric->nl, note_device, &devices, err);
	size_t i;

	for (i = 0; ret == 0 && i < devices.count; i++)
		consider(&s, &devices.all[i]);
	if (ret == 0)
		ret = require_one_device(&s, err);
	free(devices.all);
	text_fini(&s.names);
	text_fini(&s.strangers);
	return ret;
}

struct address_search {
	struct host *host;
	struct ip_prefix wanted[2];	/* AF_UNSPEC: any */
};

static void consider_address(const struct ifaddr_info *info, void *arg)
{
	struct address_search *s = arg;
	int v6 = info->address.family == AF_INET6;
	struct ip_prefix *to = v6 ? &s->host->ip6 : &s->host->ip4, alone = info->address;

	alone.len = v6 ? 128 : 32;
	if (info->ifindex != s->host->ifindex || info->link_local || info->tentative || to->family)
		return;
	if (s->wanted[v6].family && !ip_equal(&s->wanted[v6], &alone))
		return;
	*to = alone;
}

static int need_address(const struct host *host, const struct value *wanted, int v6, struct vbm_error *err)
{
	const char *named = value_get_string(wanted, v6 ? "ip6" : "ip4", NULL);

	if ((v6 ? host->ip6 : host->ip4).family)
		return 0;
	if (named)
		return vbm_fail(err, EADDRNOTAVAIL, "the interface %s does not have the address %s",
				host->info.netdev, named);
	return vbm_fail(err, EADDRNOTAVAIL, "the interface %s has no IPv%d address%s; give it one: ip address add %s dev %s; with "
			"--may-configure the run does that for its time",
			host->info.netdev, v6 ? 6 : 4, v6 ? " other than the link-local one" : "",
			v6 ? "fd00:1::1/64" : "192.0.2.1/24", host->info.netdev);
}

static int find_addresses(struct fabric *fabric, struct host *host, const struct value *wanted,
			  struct vbm_error *err)
{
	struct address_search s = {.host = host};
	struct host_info *info = &host->info;
	char text[IP_TEXT_MAX];
	int ret;

	ip_parse(value_get_string(wanted, "ip4", ""), &s.wanted[0]);
	ip_parse(value_get_string(wanted, "ip6", ""), &s.wanted[1]);
	ret = netlink_addr_each(fabric->nl, consider_address, &s, err) ?:
	      need_address(host, wanted, 0, err) ?:
	      need_address(host, wanted, 1, err);
	if (ret < 0)
		return ret;
	snprintf(info->ip4, sizeof(info->ip4), "%.15s", ip_format(&host->ip4, text));
	snprintf(info->ip6, sizeof(info->ip6), "%.45s", ip_format(&host->ip6, text));
	return 0;
}

/* The interface and its addresses. */
static int look_at_interface(struct fabric *fabric, struct host *host, const struct value *wanted, struct vbm_error *err)
{
	struct link link;
	int ret = netlink_link_get(fabric->nl, host->info.netdev, &link, err);

	if (ret < 0)
		return ret;
	if (!(link.flags & IFF_UP) || !link.ready)
		return vbm_fail(err, ENETDOWN, "the interface %s is down, or its cable is out; with --may-configure the run sets it up "
				"for its time", host->info.netdev);
	host->ifindex = link.ifindex;
	fabric->mtu = link.mtu;
	memcpy(host->mac, link.mac, sizeof(host->mac));
	snprintf(host->info.mac, sizeof(host->info.mac), "%02x:%02x:%02x:%02x:%02x:%02x", link.mac[0],
		 link.mac[1], link.mac[2], link.mac[3], link.mac[4], link.mac[5]);
	return find_addresses(fabric, host, wanted, err);
}

/*
 * The kernel gives the name to one process of the machine's network at a time, whoever runs it, and
 * takes it back when that process ends.
 */
static int lock_name(int *fd, const char *kind, const char *of, struct vbm_error *err)
{
	auto_free char *name = xasprintf("verbatim-uses-%s-%s", kind, of);
	struct sockaddr_un sa;
	socklen_t len;
	int ret = address_abstract(name, &sa, &len);

	if (ret < 0)
		return vbm_fail(err, -ret, "the name of the %s %s is too long to reserve it", kind, of);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return vbm_fail(err, errno, "cannot make a socket: %s", strerror(errno));
	if (bind(*fd, (struct sockaddr *)&sa, len) == 0)
		return 0;
	if (errno == EADDRINUSE)
		return vbm_fail(err, EBUSY, "another run of Verbatim uses the %s %s at the moment", kind, of);
	return vbm_fail(err, errno, "cannot reserve the %s %s: %s", kind, of, strerror(errno));
}

/* Before it is configured, or after that. */
static int lock_interface(struct fabric *fabric, const char *netdev, struct vbm_error *err)
{
	return fabric->interface_lock >= 0 ? 0 : lock_name(&fabric->interface_lock, "interface", netdev, err);
}

static int wait_for_device(struct fabric *fabric, struct vbm_error *err)
{
	struct host *host = &fabric->host[0];

	host->info.gid_index4 = host->info.gid_index6 = -1;
	return device_wait(host, err) ?:
	       clean_baseline(fabric, err);
}

/* The interface that the hosts file names, or that of the device; "": neither is there, which is said later. */
static void choose_interface(struct fabric *fabric, const struct value *wanted, char netdev[IFNAMSIZ])
{
	const char *named = value_get_string(wanted, "interface", NULL);
	struct host *host = &fabric->host[0];

	if (!named && find_device(fabric, host, wanted, NULL) == 0)
		named = host->info.netdev;
	snprintf(netdev, IFNAMSIZ, "%.15s", named ? named : "");
}

static int configure(struct fabric *fabric, const struct configure_options *opts, struct vbm_error *err)
{
	char netdev[IFNAMSIZ];

	choose_interface(fabric, opts->wanted, netdev);
	if (*netdev && !opts->tell && lock_interface(fabric, netdev, err) < 0)
		return -err->code;
	return *netdev ? configure_machine(fabric, netdev, opts, err) : 0;
}

int found_plan(const struct found_options *opts, void (*tell)(const char *line, void *arg), void *arg,
	       struct vbm_error *err)
{
	struct fabric *fabric = fabric_empty(LAYOUT_MACHINES, 1);
	int ret = netlink_open(&fabric->nl, -1, err);

	fabric->host[0].nl = fabric->nl;
	if (ret == 0)
		ret = configure(fabric, &(struct configure_options){opts->wanted, opts->host, tell, arg}, err);
	fabric_free(fabric);
	return ret;
}

static int look_with_device(struct fabric *fabric, const struct found_options *opts, struct vbm_error *err)
{
	const struct value *wanted = opts->wanted;
	struct host *host = &fabric->host[0];
	char driver[32];
	int ret = netlink_open(&fabric->nl, -1, err);

	host->nl = fabric->nl;
	if (ret == 0 && opts->configure)
		ret = configure(fabric, &(struct configure_options){wanted, opts->host, NULL, NULL}, err);
	snprintf(host->info.name, sizeof(host->info.name), "%s", value_get_string(wanted, "name", "a"));
	host->info.port = 1;
	if (ret == 0)
		ret = find_device(fabric, host, wanted, err) ?:
		      lock_name(&fabric->net_lock, "device", host->info.dev, err) ?:
		      lock_interface(fabric, host->info.netdev, err) ?:
		      look_at_interface(fabric, host, wanted, err);
	if (ret < 0)
		return ret;
	driver_name(host->info.dev, driver, sizeof(driver));
	host->info.type = device_type_find(driver);
	host->device = device_ops_of(device_type_find(driver_is_iwarp(host->info.dev) ? "siw" : "rxe"));
	return wait_for_device(fabric, err);
}

int found_again(struct fabric *fabric, struct vbm_error *err)
{
	struct host *host = &fabric->host[0];
	int ret = netlink_addr_wait(fabric->nl, host->ifindex, &host->ip6, clock_deadline_ms(MACHINE_ADDRESS_MS), err);

	if (ret < 0 || !host_has_device(host))
		return ret < 0 ? ret : clean_baseline(fabric, err);
	return netlink_rdma_find(fabric->nl, host->info.dev, &host->rdma_index, err) ?:
	       wait_for_device(fabric, err);
}

/*
 * A machine without an RDMA device, or whose device is left alone. The interface has the place of the
 * device in the lock, because that is what the scenarios use.
 */
static int look_without_device(struct fabric *fabric, const struct found_options *opts, struct vbm_error *err)
{
	const struct value *wanted = opts->wanted;
	struct host *host = &fabric->host[0];
	int ret = netlink_open(&fabric->nl, -1, err);

	host->nl = fabric->nl;
	snprintf(host->info.name, sizeof(host->info.name), "%s", value_get_string(wanted, "name", "b"));
	snprintf(host->info.netdev, sizeof(host->info.netdev), "%s", value_get_string(wanted, "interface", ""));
	host->info.port = 1;
	host->info.gid_index4 = host->info.gid_index6 = -1;
	host->device = device_ops_of(NULL);
	if (ret == 0)
		ret = lock_interface(fabric, host->info.netdev, err);
	if (ret == 0 && opts->configure)
		ret = configure(fabric, &(struct configure_options){wanted, opts->host, NULL, NULL}, err);
	if (ret == 0)
		ret = look_at_interface(fabric, host, wanted, err);
	if (ret < 0)
		return ret;
	fabric_name_gids(&host->info);
	return device_quiet_open(host, err) ?:
	       clean_baseline(fabric, err);
}

int found_fabric(struct fabric **out, const struct found_options *opts, struct vbm_error *err)
{
	struct fabric *fabric = fabric_empty(LAYOUT_MACHINES, 1);
	int ret;

	fabric->found = fabric->rdma = true;
	ret = value_get_bool(opts->wanted, "script", false) ? look_without_device(fabric, opts, err) : look_with_device(fabric, opts, err);
	/* The device, an address or the link may be away for the time of a scenario. */
	if (ret < 0 && ret != -EBUSY && journal_is_here())
		vbm_wrap(err, "another run of Verbatim is at work there, and may have changed it");
	if (ret < 0) {
		fabric_free(fabric);
		return ret;
	}
	*out = fabric;
	return 0;
}

/* The kernel and the network of this process: two machines of a hosts file may be the same one. */
static void put_place(struct value *v)
{
	auto_file FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char boot[64] = "", net[NETNS_NAME_MAX];

	if (f && fgets(boot, sizeof(boot), f))
		boot[strcspn(boot, "\n")] = '\0';
	netns_name(net);
	value_set(v, "place", value_format_string("%s %s", boot, net));
}

static void put_host(struct value *v, const struct host_info *info)
{
	value_set_string(v, "dev", info->dev);
	value_set_string(v, "netdev", info->netdev);
	value_set_string(v, "ip4", info->ip4);
	value_set_string(v, "ip6", info->ip6);
	value_set_string(v, "mac", info->mac);
	value_set_string(v, "gid4", info->gid4);
	value_set_string(v, "gid6", info->gid6);
	value_set_int(v, "gid_index4", info->gid_index4);
	value_set_int(v, "gid_index6", info->gid_index6);
	value_set_int(v, "port", info->port);
}

int found_describe(struct fabric *fabric, struct value **out, struct vbm_error *err)
{
	const struct host_info *info = &fabric->host[0].info;
	auto_free char *can = host_has_device(&fabric->host[0]) ? fabric_abilities(fabric, 0, err) : xstrdup("");
	struct utsname u;
	char text[64];

	if (!can)
		return -err->code;
	*out = value_map();
	uname(&u);
	put_host(*out, info);
	put_place(*out);
	value_set_string(*out, "can", can);
	value_set_string(*out, "kernel", u.release);
	value_set_string(*out, "nodename", u.nodename);
	value_set_string(*out, "rdma_core", rdma_core_version());
	value_set_int(*out, "mtu", fabric->mtu);
	driver_name(info->dev, text, sizeof(text));
	value_set_string(*out, "driver", text);
	driver_attribute(info->dev, "fw_ver", text, sizeof(text));
	value_set_string(*out, "firmware", text);
	return 0;
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
