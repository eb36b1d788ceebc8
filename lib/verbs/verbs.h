/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_VERBS_H
#define VBM_LIB_VERBS_H

#include <stdbool.h>

#include <verbatim/verbs.h>

/*
 * The calls of libibverbs that the functions of <verbatim/verbs.h> make. The preload library defines
 * functions of the same names; there these pointers lead to libibverbs's own.
 */
struct verbs_calls {
	struct ibv_device **(*get_device_list)(int *num_devices);
	void (*free_device_list)(struct ibv_device **list);
	struct ibv_context *(*open_device)(struct ibv_device *device);
	int (*close_device)(struct ibv_context *context);
	int (*query_device)(struct ibv_context *context, struct ibv_device_attr *attr);
	int (*query_gid)(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	int (*dealloc_pd)(struct ibv_pd *pd);
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe, void *cq_context,
				    struct ibv_comp_channel *channel, int comp_vector);
	int (*destroy_cq)(struct ibv_cq *cq);
};

extern struct verbs_calls vbm_verbs_calls;

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

/* Before a call that reports by errno. Returns errno as it was. */
int vbm_verbs_begin(void);
/* After it: errno as it was if it is @good; else a reason, also where libibverbs gave none. */
void vbm_verbs_end(int saved, bool good);

/* For calls that return an errno value: 0 or a positive one, whatever the driver returned. */
int vbm_verbs_code(int ret);

#endif
