/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_VERBS_H
#define VERBATIM_VERBS_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_get_device_list()	vbm_free_device_list() when one of its devices is open
 *	vbm_open_device()	vbm_query_device(), vbm_query_port(), vbm_query_gid()
 *	vbm_alloc_pd()
 *	vbm_create_cq()
 *	vbm_destroy_cq(), vbm_dealloc_pd(), vbm_close_device()	when all that uses them has ended
 */

/*
 * Devices, ports, GIDs, protection domains and completion queues: the calls of libibverbs
 * with the same names after ibv_, which do the work. The pages of these calls leave some
 * answers open, and libibverbs does not keep all that they promise. So each function here says
 * what it returns and, where it reports by errno, which values errno can have.
 *
 * The objects are those of libibverbs and can be passed to all its calls. NULL for a pointer that is
 * needed is EINVAL. Errors that the device's driver reports are passed on unchanged.
 */

/*
 * The devices that are there now, as an array that ends with NULL; vbm_free_device_list()
 * frees it. @num_devices may be NULL; otherwise the number is stored there. No device is not a
 * failure: the array is empty then. A list is complete, or there is none.
 *
 * After a failure the function returns NULL, and *@num_devices is 0. errno is
 *	EPERM	devices exist, and the caller may not open any of them
 *	ENOSYS	the kernel does not support RDMA
 *	ENOMEM	out of memory
 *	EMFILE, ENFILE	out of descriptors
 */
VBM_API struct ibv_device **vbm_get_device_list(int *num_devices);

/* Free a list. A device that is open stays so. NULL is allowed. */
VBM_API void vbm_free_device_list(struct ibv_device **list);

/*
 * Open @device. NULL after a failure; errno is EMFILE or ENFILE, ENOMEM, ENOENT or ENODEV when the
 * device is gone, EACCES or EPERM, EINVAL, or EIO when libibverbs gives no reason.
 */
VBM_API struct ibv_context *vbm_open_device(struct ibv_device *device);

/*
 * Close @context. Returns 0, or -1 after a failure; errno is EINVAL, or EBADF when
 * a descriptor of the context is not the device's any more, because somebody has closed it. The context
 * is then as it was.
 */
VBM_API int vbm_close_device(struct ibv_context *context);

/* Fill in @attr. Returns 0 or an errno value. */
VBM_API int vbm_query_device(struct ibv_context *context, struct ibv_device_attr *attr);

/*
 * Fill in @attr for the port. Returns 0 or an errno value: EINVAL when the device has no such port.
 *
 * Newer headers of rdma-core have more members at the end of struct ibv_port_attr. So the
 * program tells the library which size it has.
 */
VBM_API int vbm_query_port_sized(struct ibv_context *context, uint8_t port_num,
				 struct ibv_port_attr *attr, size_t size);

static inline int vbm_query_port(struct ibv_context *context, uint8_t port_num,
				 struct ibv_port_attr *attr)
{
	return vbm_query_port_sized(context, port_num, attr, sizeof(*attr));
}

/*
 * Store the entry @index of the port's GID table in @gid; an unused entry is all zero. Returns 0,
 * or -1 after a failure; errno is EINVAL for an index outside 0 to gid_tbl_len - 1 and for a port that the
 * device does not have.
 */
VBM_API int vbm_query_gid(struct ibv_context *context, uint8_t port_num, int index,
			  union ibv_gid *gid);

/* A protection domain of the device. NULL with errno after a failure. */
VBM_API struct ibv_pd *vbm_alloc_pd(struct ibv_context *context);

/* Returns 0 or an errno value: EBUSY when the kernel knows of an object that uses @pd. */
VBM_API int vbm_dealloc_pd(struct ibv_pd *pd);

/*
 * A completion queue of at least @cqe entries. @channel may be NULL. NULL with errno after a
 * failure: EINVAL when @cqe is below 1 or above max_cqe, or @comp_vector is outside
 * 0 to context->num_comp_vectors - 1.
 */
VBM_API struct ibv_cq *vbm_create_cq(struct ibv_context *context, int cqe, void *cq_context,
				     struct ibv_comp_channel *channel, int comp_vector);

/*
 * Returns 0 or an errno value: EBUSY when a queue pair uses @cq. Waits, as ibv_destroy_cq(3) does,
 * until the program has acknowledged all events of the queue.
 */
VBM_API int vbm_destroy_cq(struct ibv_cq *cq);

#ifdef __cplusplus
}
#endif
#endif
