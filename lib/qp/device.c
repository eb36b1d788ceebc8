/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/device.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/base/ring.h"
#include "lib/base/thread.h"

struct device_open {
	struct ring link;
	struct ibv_context *context;
	char name[IBV_SYSFS_NAME_MAX];
	__be64 guid;
	ino_t netns;
	unsigned int users;
	bool is_stale;
};

static struct ring opened = {&opened, &opened};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The open devices are the parent's: a child opens its own. */
static void forget_devices(void)
{
	ring_init(&opened);
}

static void __attribute__((constructor)) mind_forks(void)
{
	vbm_fork_join(FORK_DEVICES, &lock, forget_devices);
}

/* Devices of two network namespaces may have the same name. 0: not known. */
static ino_t netns_here(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

static struct device_open *of_context(const struct ibv_context *context)
{
	for (struct ring *r = opened.next; r != &opened; r = r->next)
		if (container_of(r, struct device_open, link)->context == context)
			return container_of(r, struct device_open, link);
	return NULL;
}

static struct device_open *find_open_device(struct ibv_device *device, ino_t netns)
{
	for (struct ring *r = opened.next; r != &opened; r = r->next) {
		struct device_open *d = container_of(r, struct device_open, link);

		if (!d->is_stale && d->netns == netns && d->guid == ibv_get_device_guid(device) &&
		    strcmp(d->name, ibv_get_device_name(device)) == 0)
			return d;
	}
	return NULL;
}

static struct device_open *open_new(struct ibv_device *device, ino_t netns)
{
	const char *name = ibv_get_device_name(device);
	struct device_open *d = vbm_mem_zalloc(sizeof(*d));

	if (!d) {
		errno = ENOMEM;
		return NULL;
	}
	errno = 0;
	d->context = ibv_open_device(device);
	if (!d->context) {
		int error = errno ? errno : EIO;

		free(d);
		errno = error;
		return NULL;
	}
	memcpy(d->name, name, strnlen(name, sizeof(d->name) - 1));
	d->guid = ibv_get_device_guid(device);
	d->netns = netns;
	ring_add(&opened, &d->link);
	return d;
}

struct ibv_context *vbm_device_take(struct ibv_device *device)
{
	ino_t netns = netns_here();
	struct device_open *d;

	pthread_mutex_lock(&lock);
	d = find_open_device(device, netns);
	d = d ? d : open_new(device, netns);
	if (d)
		d->users++;
	pthread_mutex_unlock(&lock);
	return d ? d->context : NULL;
}

struct ibv_context *vbm_device_take_open(const struct ibv_context *last)
{
	struct device_open *d, *found = NULL;
	ino_t netns = netns_here();
	struct ring *r;

	pthread_mutex_lock(&lock);
	d = last ? of_context(last) : NULL;
	for (r = d ? d->link.next : last ? &opened : opened.next; r != &opened && !found; r = r->next) {
		d = container_of(r, struct device_open, link);
		if (!d->is_stale && d->netns == netns)
			found = d;
	}
	if (found)
		found->users++;
	pthread_mutex_unlock(&lock);
	return found ? found->context : NULL;
}

int vbm_device_release(struct ibv_context *context)
{
	struct device_open *d;
	bool is_last;

	pthread_mutex_lock(&lock);
	d = of_context(context);
	is_last = d && --d->users == 0;
	if (is_last)
		ring_remove(&d->link);
	pthread_mutex_unlock(&lock);
	if (!is_last)
		return 0;
	free(d);
	return ibv_close_device(context) ? errno ? errno : EIO : 0;
}

void vbm_device_is_stale(const struct ibv_context *context)
{
	struct device_open *d;

	pthread_mutex_lock(&lock);
	d = of_context(context);
	if (d)
		d->is_stale = true;
	pthread_mutex_unlock(&lock);
}

/* The kernel refuses all calls on a device that has gone, before it tells so. */
static bool refuses_all(struct ibv_context *context)
{
	struct ibv_port_attr port;
	int rc = ibv_query_port(context, 1, &port);

	return rc == EIO || rc == ENODEV;
}

bool vbm_device_has_gone(struct ibv_context *context)
{
	struct pollfd p = {.fd = context->async_fd, .events = POLLIN};

	if (poll(&p, 1, 0) != 1 || !refuses_all(context))
		return false;
	vbm_device_is_stale(context);
	return true;
}

int vbm_device_call_failed(struct vbm_error *error, const char *call, const char *device)
{
	int code = errno ? errno : EIO;

	return vbm_fail(error, code, "%s fails on the device %s: %s", call, device, strerror(code));
}
