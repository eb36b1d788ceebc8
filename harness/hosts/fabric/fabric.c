/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "fabric/host-devices.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "net/netns.h"

/* The headers of a RoCE packet are shorter than this. */
#define HEADERS_MAX 404
#define MTU_MIN_IP6 1280
#define ADDRESS_DEADLINE_MS 5000

/*
 * The kernel shows every RDMA device in every namespace, with some 3000 files in sysfs for
 * each. So the time and memory of layout "netns" grow with the square of the number of
 * hosts (32 hosts do not fit into a guest). In "shared" they grow with the number.
 */
#define NETNS_HOSTS_MAX 8

static void note_address(const struct ifaddr_info *info, void *arg)
{
	ip_set_add(arg, &info->address);
}

static void note_route(const struct route *route, void *arg)
{
	ip_set_add(arg, &route->dst);
}

/* Reserve a network that this machine and all other runs leave free. */
static int claim_network(struct fabric *fabric, struct ip_set *taken, struct vbm_error *err)
{
	char dir[256], path[300];
	int ret;

	ret = journal_dir(dir, err);
	while (ret == 0) {
		ret = fabric_subnets(taken, &fabric->net, err);
		if (ret < 0)
			break;
		snprintf(path, sizeof(path), "%s/net-%d", dir, fabric->net.number);
		ret = journal_lock(path, true, &fabric->net_lock, err);
		if (ret != -EBUSY)
			break;
		ip_set_add(taken, &fabric->net.ip4);
		ret = 0;
	}
	return ret;
}

static int choose_network(struct fabric *fabric, struct vbm_error *err)
{
	struct ip_set taken = {0};
	int ret;

	ret = netlink_addr_each(fabric->nl, note_address, &taken, err) ?:
	      netlink_route_each(fabric->nl, note_route, &taken, err) ?:
	      claim_network(fabric, &taken, err);
	ip_set_fini(&taken);
	return ret;
}

static void give_networks(const struct fabric *fabric, struct host *host, int i)
{
	host->net4 = fabric->net.ip4;
	host->net6 = fabric->net.ip6;
	if (fabric->routed) {
		host->net4 = fabric_part(&fabric->net.ip4, i);
		host->net6 = fabric_part(&fabric->net.ip6, i);
		host->gateway4 = fabric_address(&host->net4, FABRIC_ROUTER);
		host->gateway6 = fabric_address(&host->net6, FABRIC_ROUTER);
		fabric_router_mac(fabric->net.number, i, host->gateway_mac);
		i = 0;
	}
	host->ip4 = fabric_address(&host->net4, i);
	host->ip6 = fabric_address(&host->net6, i);
}

bool fabric_is_scripted(const struct fabric *fabric, int i)
{
	return fabric->scripted >> i & 1;
}

static void name_devices(struct fabric *fabric, int i)
{
	struct host_info *info = &fabric->host[i].info;

	fabric_rdma_name(fabric->run, i, info->dev);
	if (fabric->host[i].second)
		fabric_rdma_name2(fabric->run, i, info->dev2);
}

static void name_host(struct fabric *fabric, int i)
{
	struct host *host = &fabric->host[i];
	struct host_info *info = &host->info;
	char text[IP_TEXT_MAX];

	give_networks(fabric, host, i);
	fabric_mac(fabric->net.number, i, host->mac);
	host_name(i, info->name);
	fabric_netdev_name(fabric->run, i, info->netdev);
	if (fabric->rdma && !fabric_is_scripted(fabric, i))
		name_devices(fabric, i);
	snprintf(info->ip4, sizeof(info->ip4), "%.15s", ip_format(&host->ip4, text));
	snprintf(info->ip6, sizeof(info->ip6), "%.45s", ip_format(&host->ip6, text));
	snprintf(info->mac, sizeof(info->mac), "%02x:%02x:%02x:%02x:%02x:%02x", host->mac[0],
		 host->mac[1], host->mac[2], host->mac[3], host->mac[4], host->mac[5]);
	info->port = 1;
	info->gid_index4 = info->gid_index6 = -1;
	if (fabric_is_scripted(fabric, i))
		fabric_name_gids(info);
}

static int make_namespace(struct fabric *fabric, struct host *host, struct vbm_error *err)
{
	if (!fabric->ops->own_netns) {
		host->nl = fabric->nl;
		return 0;
	}
	return netns_new(&host->netns, err) ?:
	       netlink_open(&host->nl, host->netns, err);
}

static int set_ip6(const struct host *host, const char *name, struct vbm_error *err)
{
	char path[96];

	snprintf(path, sizeof(path), "ipv6/conf/%s/%s", host->info.netdev, name);
	return netns_sysctl_set(host->netns, path, "0", err);
}

/*
 * Hosts have IPv6 even if the machine has turned it off for new interfaces. Their
 * link-local addresses are unique because their MACs are. Duplicate address detection is
 * off, because it would make GID 0, which many programs take, useless for two seconds.
 */
static int enable_ip6(const struct host *host, struct vbm_error *err)
{
	int ret = set_ip6(host, "disable_ipv6", err) ?:
		  set_ip6(host, "accept_dad", err);

	if (ret == -ENOENT)
		return vbm_fail(err, EAFNOSUPPORT, "this kernel has no IPv6 (ipv6.disable=1?), which "
				"hosts of a fabric need");
	return ret;
}

static int prepare_interfaces(struct fabric *fabric, struct vbm_error *err)
{
	struct link link;
	int i, ret;

	for (i = 0; i < fabric->count; i++) {
		struct host *host = &fabric->host[i];

		ret = netlink_link_get(host->nl, host->info.netdev, &link, err) ?:
		      enable_ip6(host, err);
		if (ret < 0)
			return ret;
		host->ifindex = link.ifindex;
	}
	return 0;
}

static int await_addresses(struct fabric *fabric, struct vbm_error *err)
{
	int64_t deadline_ns = clock_deadline_ms(ADDRESS_DEADLINE_MS);
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = netlink_addr_wait(fabric->host[i].nl, fabric->host[i].ifindex,
					&fabric->host[i].ip6, deadline_ns, err);
	return ret;
}

/* A second device is that of a copy of the host, which has all that is known of the host by now. */
static int make_device(struct fabric *fabric, struct host *host, struct vbm_error *err)
{
	struct host *second = host->second;
	const struct device_type *type = second ? second->info.type : NULL;
	int ret = device_make(fabric, host, err);

	if (ret < 0 || !second)
		return ret;
	*second = *host;
	second->second = NULL;
	second->info.type = type;
	second->device = device_ops_of(type);
	memcpy(second->info.dev, host->info.dev2, sizeof(second->info.dev));
	return device_make(fabric, second, err);
}

static int make_devices(struct fabric *fabric, struct vbm_error *err)
{
	bool visible;
	int i, ret;

	ret = netlink_rdma_shared(fabric->nl, &visible, err);
	if (ret == 0 && !visible && fabric->ops->own_netns)
		ret = vbm_fail(err, EOPNOTSUPP,
			       "the RDMA subsystem is in exclusive mode, where RDMA devices cannot be "
			       "used in other namespaces: run 'rdma system set netns shared', or use "
			       "--layout shared");
	for (i = 0; ret == 0 && i < fabric->count; i++)
		if (host_has_device(&fabric->host[i]))
			ret = make_device(fabric, &fabric->host[i], err);
	for (i = 0; ret == 0 && i < fabric->count; i++)
		if (host_has_device(&fabric->host[i]))
			ret = device_wait(&fabric->host[i], err);
	for (i = 0; ret == 0 && i < fabric->count; i++)
		if (fabric->host[i].second)
			ret = device_wait(fabric->host[i].second, err);
	return ret;
}

static int assemble(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret;

	ret = netlink_open(&fabric->nl, -1, err) ?:
	      journal_create(&fabric->journal, err);
	if (ret < 0)
		return ret;
	fabric->run = journal_run(fabric->journal);
	fabric->undo = undo_new(&(struct undo_ops){undo_kinds, fabric->nl}, fabric->run,
				fabric->journal);
	if (fabric->ops->own_netns || fabric_has_middle(fabric))
		ret = undo_push(fabric->undo, err, "namespaces", NULL);
	if (ret == 0)
		ret = choose_network(fabric, err);
	for (i = 0; ret == 0 && i < fabric->count; i++) {
		name_host(fabric, i);
		ret = make_namespace(fabric, &fabric->host[i], err);
	}
	if (ret == 0)
		ret = cable_lay(fabric, err) ?:
		      prepare_interfaces(fabric, err) ?:
		      fabric->ops->connect(fabric, err) ?:
		      cable_wait(fabric, err) ?:
		      await_addresses(fabric, err);
	if (ret == 0 && fabric->rdma)
		ret = make_devices(fabric, err);
	/* In layout shared the driver needs the port for its first device, so its sockets come first. */
	for (i = 0; ret == 0 && i < fabric->count; i++)
		if (fabric_is_scripted(fabric, i))
			ret = device_quiet_open(&fabric->host[i], err);
	return ret ?: ready_check(fabric, err) ?: clean_baseline(fabric, err);
}

static int check_options(const struct fabric_options *opts, struct vbm_error *err)
{
	if (opts->hosts < 1 || opts->hosts > FABRIC_HOSTS_MAX)
		return vbm_fail(err, EINVAL, "a fabric has 1 to %d hosts, not %d", FABRIC_HOSTS_MAX,
				opts->hosts);
	if (opts->routed && (opts->hosts < FABRIC_ROUTED_MIN || opts->hosts > FABRIC_ROUTED_MAX))
		return vbm_fail(err, EINVAL, "a router connects %d to %d hosts, not %d", FABRIC_ROUTED_MIN,
				FABRIC_ROUTED_MAX, opts->hosts);
	if (opts->scripted & 1 || (opts->hosts < FABRIC_HOSTS_MAX && opts->scripted >> opts->hosts))
		return vbm_fail(err, EINVAL, "host a has a device, and only hosts of the fabric can be without one");
	if (opts->roce_mtu < 0 || opts->roce_mtu > 4096)
		return vbm_fail(err, EINVAL, "a RoCE path MTU is at most 4096, not %d", opts->roce_mtu);
	return 0;
}

static int link_mtu(const struct fabric_options *opts)
{
	int mtu = (opts->roce_mtu ? opts->roce_mtu : 4096) + HEADERS_MAX;

	return mtu < MTU_MIN_IP6 ? MTU_MIN_IP6 : mtu;
}

static void give_types(struct fabric *fabric, const struct device_words *devices)
{
	struct host *host = fabric->host;
	struct device_pair pair;
	int i;

	for (i = 0; i < fabric->count; i++, host++) {
		pair = device_words_of(devices, i);
		host->info.type = pair.first;
		host->device = device_ops_of(pair.first);
		if (!pair.second || !fabric->rdma || fabric_is_scripted(fabric, i))
			continue;
		host->second = xcalloc(1, sizeof(*host->second));
		host->second->info.type = pair.second;
	}
}

static int build_fabric(struct fabric **out, enum layout layout, const struct fabric_options *opts,
			bool rdma, struct vbm_error *err)
{
	struct fabric *fabric = fabric_empty(layout, opts->hosts);
	int64_t start_ns = clock_now_ns();
	int ret;

	fabric->ops = layout == LAYOUT_NETNS ? &layout_netns : &layout_shared;
	fabric->rdma = rdma;
	fabric->mtu = link_mtu(opts);
	fabric->routed = opts->routed;
	fabric->scripted = opts->scripted;
	give_types(fabric, &opts->devices);
	ret = assemble(fabric, err);
	if (ret < 0) {
		fabric_free(fabric);
		return ret;
	}
	fabric->build_ms = (int)((clock_now_ns() - start_ns) / 1000000);
	*out = fabric;
	return 0;
}

int fabric_build(struct fabric **out, const struct fabric_options *opts, bool rdma,
		 struct vbm_error *err)
{
	enum layout layout = opts->layout;
	int ret;

	ret = check_options(opts, err);
	if (ret == 0 && layout == LAYOUT_AUTO)
		ret = opts->hosts > NETNS_HOSTS_MAX ? 0 : layout_guess(&opts->devices, opts->hosts, &layout, err);
	if (ret < 0)
		return ret;
	if (layout == LAYOUT_AUTO && opts->hosts > NETNS_HOSTS_MAX)
		layout = LAYOUT_SHARED;
	if (layout != LAYOUT_AUTO)
		return build_fabric(out, layout, opts, rdma, err);
	/* No probe is cheaper than building the fabric itself. */
	ret = build_fabric(out, LAYOUT_NETNS, opts, rdma, err);
	if (ret == -EOPNOTSUPP) {
		layout_note(&opts->devices, opts->hosts, LAYOUT_SHARED);
		return build_fabric(out, LAYOUT_SHARED, opts, rdma, err);
	}
	if (ret == 0)
		layout_note(&opts->devices, opts->hosts, LAYOUT_NETNS);
	return ret;
}

int fabric_new(struct fabric **out, const struct fabric_options *opts, struct vbm_error *err)
{
	static bool swept;

	/* The remains of a killed run could be in the way. If they stay, building fails. */
	if (!swept)
		fabric_sweep(false, NULL, NULL, NULL);
	swept = true;
	/* This process may be on a host itself: verbatim exec may have started it. */
	return host_devices_see_all(err) ?:
	       fabric_build(out, opts, true, err);
}

int fabric_probe_layout(const struct device_words *devices, enum layout *layout,
			struct fabric **trial, struct vbm_error *err)
{
	const struct fabric_options opts = {.hosts = 2, .devices = *devices};
	int ret;

	*trial = NULL;
	ret = layout_guess(devices, opts.hosts, layout, err);
	if (ret < 0 || *layout != LAYOUT_AUTO)
		return ret;
	ret = fabric_new(trial, &opts, err);
	if (ret == 0)
		*layout = fabric_layout(*trial);
	return ret;
}

static void leave_namespaces(struct fabric *fabric)
{
	int i;

	for (i = 0; i < fabric->count; i++) {
		struct host *host = &fabric->host[i];

		device_quiet_close(host);
		if (host->netns < 0)
			continue;
		netlink_close(host->nl);
		close(host->netns);
	}
	netlink_close(fabric->wire_nl);
	if (fabric->wire_netns >= 0)
		close(fabric->wire_netns);
}

void fabric_free(struct fabric *fabric)
{
	struct vbm_error err;
	int i, ret = 0;

	if (!fabric)
		return;
	/* A mounted sysfs keeps the network namespace alive, so the mounts go first. */
	fabric_drop_namespaces(fabric);
	if (fabric->undo)
		ret = undo_unwind(fabric->undo, &err);
	leave_namespaces(fabric);
	if (ret < 0)
		fprintf(stderr, "verbatim: the fabric could not be taken down: %s; "
			"'verbatim doctor --sweep' tries again\n", err.msg);
	undo_free(fabric->undo);
	journal_close(fabric->journal, ret == 0);
	if (fabric->net_lock >= 0)
		close(fabric->net_lock);
	if (fabric->interface_lock >= 0)
		close(fabric->interface_lock);
	netlink_close(fabric->nl);
	if (fabric->hosts->close)
		fabric->hosts->close(fabric);
	for (i = 0; i < FABRIC_HOSTS_MAX; i++)
		free(fabric->host[i].second);
	free(fabric);
}

enum layout fabric_layout(const struct fabric *fabric)
{
	return fabric->layout;
}

int fabric_build_ms(const struct fabric *fabric)
{
	return fabric->build_ms;
}

int fabric_host_count(const struct fabric *fabric)
{
	return fabric->count;
}

bool fabric_is_routed(const struct fabric *fabric)
{
	return fabric->routed;
}

uint64_t fabric_scripted(const struct fabric *fabric)
{
	return fabric->scripted;
}

bool fabric_has_devices(const struct fabric *fabric, const struct device_words *devices)
{
	const struct host *host = fabric->host;
	struct device_pair pair;
	int i;

	for (i = 0; i < fabric->count; i++, host++) {
		pair = device_words_of(devices, i);
		if (!fabric_is_scripted(fabric, i) &&
		    (host->info.type != pair.first || (host->second ? host->second->info.type : NULL) != pair.second))
			return false;
	}
	return true;
}

const struct device_type *fabric_second_type(const struct fabric *fabric, int host)
{
	return fabric->host[host].second ? fabric->host[host].second->info.type : NULL;
}

const struct host_info *fabric_host(const struct fabric *fabric, int i)
{
	return &fabric->host[i].info;
}

int fabric_netns_fd(const struct fabric *fabric, int i)
{
	return fabric->host[i].netns;
}

static int answer_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	return host_has_device(host) ? netlink_rdma_listeners(host->nl, host->rdma_index, fn, arg, err) : 0;
}

static int answer_objects(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
			struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	return host_has_device(host) ? netlink_rdma_objects(host->nl, host->rdma_index, fn, arg, err) : 0;
}

static int answer_counters(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			 struct vbm_error *err)
{
	return device_counters(&fabric->host[i], fn, arg, err);
}

static int answer_counter(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	if (!host_has_device(host))
		return vbm_fail(err, ENOENT, "host %s has no RDMA device", host->info.name);
	return netlink_rdma_counter(host->nl, host->rdma_index, (uint32_t)host->info.port, name, value, err);
}

/* Of hosts that this kernel has. */
static const struct host_ops hosts_here = {
	.is_clean = clean_hosts,
	.abilities = abilities_of_host,
	.listeners = answer_listeners,
	.objects = answer_objects,
	.counters = answer_counters,
	.counter = answer_counter,
};

struct fabric *fabric_empty(enum layout layout, int hosts)
{
	struct fabric *fabric = xcalloc(1, sizeof(*fabric));
	struct host *host;

	fabric->layout = layout;
	fabric->hosts = &hosts_here;
	fabric->count = hosts;
	fabric->net_lock = fabric->interface_lock = fabric->wire_netns = -1;
	for (host = fabric->host; host < fabric->host + hosts; host++) {
		host->netns = host->quiet4 = host->quiet6 = -1;
		host->ns = (struct host_ns)HOST_NS_NONE;
	}
	return fabric;
}

bool fabric_is_elsewhere(const struct fabric *fabric)
{
	return fabric->hosts->elsewhere;
}

int fabric_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	return fabric->hosts->listeners(fabric, i, fn, arg, err);
}

int fabric_objects(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		   struct vbm_error *err)
{
	return fabric->hosts->objects(fabric, i, fn, arg, err);
}

int fabric_counters(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		    struct vbm_error *err)
{
	return fabric->hosts->counters(fabric, i, fn, arg, err);
}

int fabric_counter(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	return fabric->hosts->counter(fabric, i, name, value, err);
}
