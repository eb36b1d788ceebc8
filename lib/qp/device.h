/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_DEVICE_H
#define VBM_LIB_QP_DEVICE_H

#include <stdbool.h>

#include <infiniband/verbs.h>

#include <verbatim/error.h>

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
 * Whether the device has gone; only then is @context->async_fd readable for sure. The library
 * takes no asynchronous event: each may concern several threads, and the program.
 */
bool vbm_device_has_gone(struct ibv_context *context);

/* The error of a call on @device that has left errno. Returns it with a minus. */
int vbm_device_call_failed(struct vbm_error *error, const char *call, const char *device);

#endif
