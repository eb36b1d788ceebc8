/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "lib/base/addr.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/qp/device.h"

struct domain {
	struct vbm_domain pub;		/* first */
	bool has_context, has_pd;	/* made by the library */
	unsigned int users;
	struct ibv_device_attr limits;	/* they do not change */
};

static struct domain *domain_of(struct vbm_domain *pub)
{
	return (struct domain *)pub;
}

void vbm_domain_options_init_sized(struct vbm_domain_options *options, size_t size)
{
	static const struct vbm_domain_options all = {.gid_index = -1};

	vbm_options_give(options, size, &all, sizeof(all));
}

void vbm_domain_join(struct vbm_domain *domain)
{
	__atomic_add_fetch(&domain_of(domain)->users, 1, __ATOMIC_ACQ_REL);
}

const struct ibv_device_attr *vbm_domain_limits(const struct vbm_domain *domain)
{
	return &((const struct domain *)domain)->limits;
}

void vbm_domain_leave(struct vbm_domain *domain)
{
	__atomic_sub_fetch(&domain_of(domain)->users, 1, __ATOMIC_ACQ_REL);
}

int vbm_domain_find(const struct vbm_domain *domain, const struct sockaddr *address,
		    const struct qp_wish *wish, struct vbm_gid_place *place, struct vbm_error *error)
{
	union addr a;
	uint8_t gid[16];

	*place = domain->place;
	if (wish->device || wish->port_num || wish->gid_index >= 0)
		return vbm_gid_search_in(domain->context, address, wish, place, error);
	if (!address)
		return 0;
	memset(&a, 0, sizeof(a));
	if (address->sa_family == AF_INET) {
		memcpy(&a.in, address, sizeof(a.in));
		vbm_addr_to_gid(&a, gid);
		if (memcmp(gid, place->gid.raw, sizeof(gid)) == 0)
			return 0;
	}
	return vbm_gid_search_in(domain->context, address, NULL, place, error);
}

/* Of the devices that librdmacm has open. It never closes them. */
static int find_by_rdma_cm(struct vbm_domain *d, const struct sockaddr *address, const struct qp_wish *wish,
			   struct vbm_error *error)
{
	struct ibv_context **all;
	int count = 0, i, rc = ENODEV;

	errno = 0;
	all = rdma_get_devices(&count);
	if (!all)
		return -vbm_fail(error, errno ? errno : ENODEV, "rdma_get_devices fails: %s",
				 strerror(errno ? errno : ENODEV));
	for (i = 0; i < count && rc; i++) {
		rc = vbm_gid_search_one_of_many(all[i], address, wish, &d->place, error);
		d->context = rc ? NULL : all[i];
	}
	rdma_free_devices(all);
	if (count == 0)
		return -vbm_fail(error, ENODEV, "there is no RDMA device");
	return rc == EADDRNOTAVAIL ? -vbm_gid_is_nowhere(wish, error) : rc;
}

static int find_device(struct domain *d, const struct sockaddr *address,
		       const struct vbm_domain_options *o, struct vbm_error *error)
{
	const struct qp_wish wish = {o->device, o->port_num, o->gid_index};
	int rc;

	if (o->pd && o->context && o->pd->context != o->context)
		return -vbm_fail(error, EINVAL, "the protection domain of the options belongs to another context");
	if (o->for_rdma_cm && (o->pd || o->context))
		return -vbm_fail(error, EINVAL, "for_rdma_cm chooses the context, so the options cannot name one");
	d->pub.pd = o->pd;
	d->pub.context = o->pd ? o->pd->context : o->context;
	if (d->pub.context)
		return vbm_gid_search_in(d->pub.context, address, &wish, &d->pub.place, error);
	if (o->for_rdma_cm)
		return find_by_rdma_cm(&d->pub, address, &wish, error);
	rc = vbm_gid_search(address, &wish, &d->pub.place, &d->pub.context, error);
	d->has_context = rc == 0;
	return rc;
}

static int ask_limits(struct domain *d, struct vbm_error *error)
{
	int rc = ibv_query_device(d->pub.context, &d->limits);

	return rc ? -vbm_fail(error, rc, "ibv_query_device fails on the device %s: %s", d->pub.place.device,
			      strerror(rc)) : 0;
}

static int make_pd(struct domain *d, struct vbm_error *error)
{
	if (d->pub.pd)
		return 0;
	errno = 0;
	d->pub.pd = ibv_alloc_pd(d->pub.context);
	d->has_pd = d->pub.pd != NULL;
	return d->has_pd ? 0 : -vbm_device_call_failed(error, "ibv_alloc_pd", d->pub.place.device);
}

int vbm_create_domain(struct vbm_domain **domain, const struct sockaddr *address,
		      const struct vbm_domain_options *options, struct vbm_error *error)
{
	struct vbm_domain_options own;
	struct domain *d;
	int rc;

	if (!domain)
		return -vbm_fail(error, EINVAL, "the pointer to the new domain is NULL");
	*domain = NULL;
	vbm_domain_options_init(&own);
	rc = options ? vbm_options_take(&own, sizeof(own), options, "domain_options", error) : 0;
	if (rc)
		return rc;
	d = vbm_mem_zalloc(sizeof(*d));
	if (!d)
		return -vbm_fail(error, ENOMEM, "out of memory");
	rc = find_device(d, address, &own, error);
	rc = rc ? rc : ask_limits(d, error);
	rc = rc ? rc : make_pd(d, error);
	if (rc) {
		if (d->has_context)
			vbm_device_release(d->pub.context);
		free(d);
		return rc;
	}
	*domain = &d->pub;
	return 0;
}

int vbm_destroy_domain(struct vbm_domain *domain)
{
	struct domain *d = domain_of(domain);
	unsigned int users;
	int rc;

	if (!domain)
		return 0;
	users = __atomic_load_n(&d->users, __ATOMIC_ACQUIRE);
	if (users)
		return -vbm_fail(&domain->error, EBUSY, "%u queue pairs or completion queues are in the domain", users);
	rc = d->has_pd ? ibv_dealloc_pd(domain->pd) : 0;
	if (rc)
		return -vbm_fail(&domain->error, rc, "ibv_dealloc_pd fails: %s", strerror(rc));
	d->has_pd = false;
	rc = d->has_context ? vbm_device_release(domain->context) : 0;
	free(d);
	return rc;
}
