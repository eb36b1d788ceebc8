/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_DEVICE_H
#define VBM_LIB_QP_DEVICE_H

#include <infiniband/verbs.h>

/*
 * The devices that the library has open in this process. Each is open once, for all who use
 * it, and closed when the last of them has released it. Any thread may call these functions.
 */

/* Open @device, or use it again. NULL with errno. */
struct ibv_context *vbm_device_take(struct ibv_device *device);

/* Take the open device after @last (NULL: the first) of the caller's network namespace. NULL: there is none. */
struct ibv_context *vbm_device_take_open(const struct ibv_context *last);

/* Release what one of the calls above has returned. 0 or an errno value. */
int vbm_device_release(struct ibv_context *context);

/* The device is broken or gone: it is opened anew for whoever takes it next. */
void vbm_device_is_stale(const struct ibv_context *context);

/*
 * To be called while context->async_fd is readable. The library reads the asynchronous
 * events of the devices that it has opened itself; the event that tells of a device's end
 * it leaves, so that every thread that waits for it sees it.
 */
enum device_news {
	DEVICE_IS_QUIET,	/* there is no event any more */
	DEVICE_IS_NOT_OURS,	/* there may be an event, for the one who has opened the device */
	DEVICE_HAS_GONE,
};

enum device_news vbm_device_look(struct ibv_context *context);

#endif
