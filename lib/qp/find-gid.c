/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/addr.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/qp/device.h"

#define GIDS_MAX 1024	/* the most GIDs of a device, over all its ports */

struct find_gid_search {
	const struct sockaddr *address;	/* NULL: any address of this host */
	const struct qp_wish *wish;
	const struct ifaddrs *local;
	struct ibv_gid_entry *entry;	/* room for GIDS_MAX */
	struct vbm_gid_place *place;
};

static void address_of(union addr *a, const struct sockaddr *address)
{
	memset(a, 0, sizeof(*a));
	if (address->sa_family == AF_INET)
		memcpy(&a->in, address, sizeof(a->in));
	else
		memcpy(&a->in6, address, sizeof(a->in6));
}

/* Whether this host has the GID's interface, and that interface has the address. */
static bool is_here(const struct find_gid_search *s, const struct ibv_gid_entry *e)
{
	const struct ifaddrs *i;
	union addr a;
	uint8_t gid[16];

	for (i = s->local; i; i = i->ifa_next) {
		if (!i->ifa_addr || (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6))
			continue;
		address_of(&a, i->ifa_addr);
		vbm_addr_to_gid(&a, gid);
		if (memcmp(gid, e->gid.raw, sizeof(gid)) == 0 &&
		    if_nametoindex(i->ifa_name) == e->ndev_ifindex)
			return true;
	}
	return false;
}

static bool has_address(const struct ibv_gid_entry *e, const struct sockaddr *address)
{
	uint8_t gid[16];
	union addr a;

	address_of(&a, address);
	vbm_addr_to_gid(&a, gid);
	if (memcmp(gid, e->gid.raw, sizeof(gid)) != 0)
		return false;
	return a.sa.sa_family != AF_INET6 || !a.in6.sin6_scope_id || a.in6.sin6_scope_id == e->ndev_ifindex;
}

/* On InfiniBand the first GID of a port is its subnet's prefix and its GUID. */
bool vbm_gid_fits(const struct ibv_gid_entry *e, const struct qp_wish *wish, const struct sockaddr *address)
{
	if (e->gid_index > UINT8_MAX || e->port_num > UINT8_MAX)
		return false;
	if (wish->port_num && wish->port_num != e->port_num)
		return false;
	if (wish->gid_index >= 0 && (uint32_t)wish->gid_index != e->gid_index)
		return false;
	if (e->gid_type == IBV_GID_TYPE_IB)
		return wish->device != NULL;
	if (e->gid_type != IBV_GID_TYPE_ROCE_V2 && wish->gid_index < 0)
		return false;
	return !address || has_address(e, address);
}

static bool is_wanted(const struct find_gid_search *s, const struct ibv_gid_entry *e)
{
	return vbm_gid_fits(e, s->wish, s->address) && (e->gid_type == IBV_GID_TYPE_IB || is_here(s, e));
}

static bool is_named(const struct find_gid_search *s, struct ibv_device *device)
{
	return !s->wish->device || strcmp(s->wish->device, ibv_get_device_name(device)) == 0;
}

/* 1: found, 0: not there, or a negative errno. */
static int look_into(const struct find_gid_search *s, struct ibv_context *context, struct vbm_error *error)
{
	const char *name = ibv_get_device_name(context->device);
	ssize_t i, count = ibv_query_gid_table(context, s->entry, GIDS_MAX, 0);

	for (i = 0; i < count && !is_wanted(s, &s->entry[i]); i++)
		;
	if (i < count) {
		memset(s->place, 0, sizeof(*s->place));
		memcpy(s->place->device, name, strnlen(name, sizeof(s->place->device) - 1));
		s->place->port_num = (uint8_t)s->entry[i].port_num;
		s->place->gid_index = (uint8_t)s->entry[i].gid_index;
		s->place->gid = s->entry[i].gid;
	}
	if (count < 0)
		return vbm_fail(error, (int)-count, "cannot read the GIDs of the device %s: %s",
				name, strerror((int)-count));
	return i < count;
}

/* The devices that are open already. NULL: none of them has the address. */
static struct ibv_context *look_into_open(const struct find_gid_search *s)
{
	struct ibv_context *context = NULL, *last;
	int rc;

	for (;;) {
		last = context;
		context = vbm_device_take_open(last);
		if (last)
			vbm_device_release(last);
		rc = context ? is_named(s, context->device) ? look_into(s, context, NULL) : 0 : 1;
		if (rc > 0)
			return context;
		if (rc < 0)
			vbm_device_is_stale(context);
	}
}

static int look_into_device(const struct find_gid_search *s, struct ibv_device *device,
			    struct ibv_context **context, struct vbm_error *error)
{
	int rc;

	*context = vbm_device_take(device);
	if (!*context)
		return vbm_fail(error, errno, "cannot open the device %s: %s", ibv_get_device_name(device),
				strerror(errno));
	rc = look_into(s, *context, error);
	if (rc < 0)
		vbm_device_is_stale(*context);
	if (rc <= 0)
		vbm_device_release(*context);
	return rc;
}

int vbm_gid_is_nowhere(const struct qp_wish *wish, struct vbm_error *error)
{
	return wish->device ? vbm_fail(error, EADDRNOTAVAIL, "there is no RDMA device %s with this address, port and "
				       "GID index", wish->device) :
			      vbm_fail(error, EADDRNOTAVAIL, "no RDMA device has this address as a GID");
}

/*
 * The error of a device that cannot be opened counts only when no other device has the
 * address.
 */
static int look_everywhere(const struct find_gid_search *s, struct ibv_context **context,
			   struct vbm_error *error)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct vbm_error of_device = {0};
	int i, rc = 0;
	bool is_any;

	if (!list)
		return vbm_fail(error, errno ? errno : EIO, "cannot list the RDMA devices: %s",
				strerror(errno));
	is_any = list[0];
	for (i = 0; list[i] && rc <= 0; i++)
		if (is_named(s, list[i]))
			rc = look_into_device(s, list[i], context, of_device.code ? NULL : &of_device);
	ibv_free_device_list(list);
	if (rc > 0)
		return 0;
	if (of_device.code)
		return vbm_note(error, of_device.code, "%s", of_device.msg);
	return is_any ? vbm_gid_is_nowhere(s->wish, error) : vbm_fail(error, ENODEV, "there is no RDMA device");
}

/* The open devices cost the least. Without an address it has to be the first of the list. */
static int look_for_device(const struct find_gid_search *s, struct ibv_context **context,
			   struct vbm_error *error)
{
	*context = s->address ? look_into_open(s) : NULL;
	return *context ? 0 : look_everywhere(s, context, error);
}

/* Says nothing of an address that the device does not have: the next one may have it. */
static int look_into_one_of_many(const struct find_gid_search *s, struct ibv_context **context,
				 struct vbm_error *error)
{
	int rc = is_named(s, (*context)->device) ? look_into(s, *context, error) : 0;

	return rc > 0 ? 0 : rc ? rc : -EADDRNOTAVAIL;
}

static int look_into_one(const struct find_gid_search *s, struct ibv_context **context,
			 struct vbm_error *error)
{
	int rc = look_into_one_of_many(s, context, error);

	return rc != -EADDRNOTAVAIL ? rc : vbm_fail(error, EADDRNOTAVAIL, "the device %s does not have this address "
						    "as a GID", ibv_get_device_name((*context)->device));
}

static int search(const struct sockaddr *address, const struct qp_wish *wish, struct vbm_gid_place *place,
		  struct ibv_context **context, struct vbm_error *error,
		  int (*look)(const struct find_gid_search *s, struct ibv_context **context,
			      struct vbm_error *error))
{
	static const struct qp_wish none = {.gid_index = -1};
	struct find_gid_search s = {.place = place, .address = address, .wish = wish ? wish : &none};
	struct ifaddrs *local = NULL;
	int rc;

	if (address && address->sa_family != AF_INET && address->sa_family != AF_INET6)
		return -vbm_fail(error, EAFNOSUPPORT, "the address family %d is neither AF_INET nor AF_INET6",
				 address->sa_family);
	if (getifaddrs(&local) < 0)
		return -vbm_fail(error, errno, "cannot list this host's addresses: %s",
				 strerror(errno));
	s.local = local;
	s.entry = vbm_mem_alloc(GIDS_MAX * sizeof(*s.entry));
	rc = s.entry ? look(&s, context, error) : vbm_fail(error, ENOMEM, "out of memory");
	free(s.entry);
	freeifaddrs(local);
	return -rc;
}

int vbm_gid_search(const struct sockaddr *address, const struct qp_wish *wish, struct vbm_gid_place *place,
		   struct ibv_context **context, struct vbm_error *error)
{
	return search(address, wish, place, context, error, look_for_device);
}

int vbm_gid_search_in(struct ibv_context *context, const struct sockaddr *address, const struct qp_wish *wish,
		      struct vbm_gid_place *place, struct vbm_error *error)
{
	return search(address, wish, place, &context, error, look_into_one);
}

int vbm_gid_search_one_of_many(struct ibv_context *context, const struct sockaddr *address,
			       const struct qp_wish *wish, struct vbm_gid_place *place, struct vbm_error *error)
{
	return search(address, wish, place, &context, error, look_into_one_of_many);
}

int vbm_find_gid(const struct sockaddr *address, struct vbm_gid_place *place,
		 struct vbm_error *error)
{
	struct ibv_context *context;
	int rc;

	if (!address || !place)
		return -vbm_fail(error, EINVAL, "the address or the pointer to the answer is NULL");
	rc = vbm_gid_search(address, NULL, place, &context, error);
	if (rc == 0)
		vbm_device_release(context);
	return rc;
}
