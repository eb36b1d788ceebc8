/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_VERBS_VERBS_H
#define VBM_LIB_VERBS_VERBS_H

/*
 * Runs in: the caller's thread.
 * Owns:    nothing.
 * Ends:    with the call.
 * Tests:   unit/test_verbs; tests/guest/verbs.test; tests/lib/preload.test.
 */

#include <stdbool.h>

#include <infiniband/verbs.h>

/*
 * The calls of libibverbs with the returns that its pages promise, which libibverbs does not always keep, for
 * --target reference and the preload library. The objects are those of libibverbs. NULL for a pointer that is
 * needed is EINVAL. Errors that the device's driver reports are passed on unchanged. A call that reports by errno
 * leaves errno as it was after a success, and always gives a reason after a failure.
 *
 * get_device_list: a list is complete, or there is none. errno is
 *	EPERM	devices exist, and the caller may not open any of them
 *	ENOSYS	the kernel does not support RDMA
 *	ENOMEM	out of memory
 *	EMFILE, ENFILE	out of descriptors
 * close_device: EBADF when a descriptor of the context is not the device's any more, because somebody has
 * closed it; the context is then as it was.
 * query_gid: EINVAL for an index outside 0 to gid_tbl_len - 1, and for a port that the device does not have.
 */
__typeof__(ibv_get_device_list) vbm_get_device_list;
__typeof__(ibv_free_device_list) vbm_free_device_list;
__typeof__(ibv_open_device) vbm_open_device;
__typeof__(ibv_close_device) vbm_close_device;
__typeof__(ibv_query_device) vbm_query_device;
int vbm_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr);
__typeof__(ibv_query_gid) vbm_query_gid;
__typeof__(ibv_alloc_pd) vbm_alloc_pd;
__typeof__(ibv_dealloc_pd) vbm_dealloc_pd;
__typeof__(ibv_create_cq) vbm_create_cq;
__typeof__(ibv_destroy_cq) vbm_destroy_cq;

/*
 * Why there is no list of devices: EPERM, ENOSYS, ENOMEM, EMFILE or ENFILE. @error is the errno of
 * libibverbs, which says ENOSYS whatever hinders it from reading @sys.
 */
int vbm_verbs_list_error(const char *sys, int error);

/*
 * Whether @list is good: 0; EPERM when the caller may open none of the devices that exist, also
 * when @list is empty for that reason; else ENOMEM, EMFILE or ENFILE. *@whole is false when @list lacks
 * a device that the caller may open. @error is the errno of libibverbs, which counts only then.
 * @sys and @dev are the folders of the kernel's list of devices and of the device nodes.
 */
int vbm_verbs_access(const char *sys, const char *dev, struct ibv_device **list, int error, bool *whole);

/*
 * Why a device cannot be opened, as a positive errno value. @error is the errno of libibverbs, which
 * looks for the node elsewhere when it cannot open it, and then says ENOENT. @name is that of
 * the node in the folder @dev.
 */
int vbm_verbs_open_error(const char *dev, const char *name, int error);

/* Whether the descriptors of @context are still those of a device. */
bool vbm_verbs_is_open(const struct ibv_context *context);

/* After a call that reports by errno: errno as it was if it is @good; else a reason. */
void vbm_verbs_end(int saved, bool good);

/* For calls that return an errno value: 0 or a positive one, whatever the driver returned. */
int vbm_verbs_code(int ret);

#endif
