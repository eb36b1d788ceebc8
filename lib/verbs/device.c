/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/verbs/verbs.h"

#include <errno.h>

#include "lib/base/fail.h"

#define SYS_CLASS "/sys/class/infiniband_verbs"
#define DEV_FOLDER "/dev/infiniband"

struct verbs_calls vbm_verbs_calls = {
	.get_device_list = ibv_get_device_list,
	.free_device_list = ibv_free_device_list,
	.open_device = ibv_open_device,
	.close_device = ibv_close_device,
	.query_device = ibv_query_device,
	.query_gid = ibv_query_gid,
	.alloc_pd = ibv_alloc_pd,
	.dealloc_pd = ibv_dealloc_pd,
	.create_cq = ibv_create_cq,
	.destroy_cq = ibv_destroy_cq,
};

int vbm_verbs_begin(void)
{
	int saved = errno;

	errno = 0;
	return saved;
}

void vbm_verbs_end(int saved, bool good)
{
	if (good)
		errno = saved;
	else if (!errno)
		errno = EIO;
}

int vbm_verbs_code(int ret)
{
	if (ret == -1)
		return errno ? errno : EIO;
	return ret < 0 ? -ret : ret;
}

/* One list of libibverbs, or NULL with *@error. */
static struct ibv_device **get_list(int *num, bool *whole, int *error)
{
	struct ibv_device **list;

	errno = 0;
	list = vbm_verbs_calls.get_device_list(num);
	if (!list) {
		*error = vbm_verbs_list_error(SYS_CLASS, errno);
		return NULL;
	}
	*error = vbm_verbs_access(SYS_CLASS, DEV_FOLDER, list, errno, whole);
	if (*error) {
		vbm_free_device_list(list);
		list = NULL;
	}
	return list;
}

/*
 * When libibverbs cannot ask the kernel, for example because memory ran out at that moment, it
 * does not find the drivers of all devices. So a list that lacks a device is made once more. A
 * device that lacks again has no driver.
 */
struct ibv_device **vbm_get_device_list(int *num_devices)
{
	int saved = errno, num = 0, error = 0;
	struct ibv_device **list;
	bool whole = true;

	list = get_list(&num, &whole, &error);
	if (list && !whole) {
		vbm_free_device_list(list);
		list = get_list(&num, &whole, &error);
	}
	if (num_devices)
		*num_devices = list ? num : 0;
	errno = list ? saved : error;
	return list;
}

void vbm_free_device_list(struct ibv_device **list)
{
	if (list)
		vbm_verbs_calls.free_device_list(list);
}

struct ibv_context *vbm_open_device(struct ibv_device *device)
{
	struct ibv_context *context;
	int saved;

	if (!device) {
		errno = EINVAL;
		return NULL;
	}
	saved = vbm_verbs_begin();
	context = vbm_verbs_calls.open_device(device);
	vbm_verbs_end(saved, context);
	if (!context)
		errno = vbm_verbs_open_error(DEV_FOLDER, device->dev_name, errno);
	return context;
}

/* ibv_close_device() returns 0 whatever happens, so what can fail is looked at before. */
int vbm_close_device(struct ibv_context *context)
{
	int saved, ret;

	if (!context)
		return vbm_refuse(EINVAL);
	if (!vbm_verbs_is_open(context))
		return vbm_refuse(EBADF);
	saved = vbm_verbs_begin();
	ret = vbm_verbs_calls.close_device(context);
	vbm_verbs_end(saved, ret == 0);
	return ret == 0 ? 0 : -1;
}

int vbm_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int saved, ret;

	if (!context || !attr)
		return EINVAL;
	saved = vbm_verbs_begin();
	ret = vbm_verbs_code(vbm_verbs_calls.query_device(context, attr));
	errno = saved;
	return ret;
}

/* What ibv_query_port() of the headers does, with the size of the caller's struct. */
int vbm_query_port_sized(struct ibv_context *context, uint8_t port_num,
			 struct ibv_port_attr *attr, size_t size)
{
	struct verbs_context *verbs = context ? verbs_get_ctx_op(context, query_port) : NULL;
	int saved, ret;

	if (!context || !attr || !size)
		return EINVAL;
	if (!verbs)
		return EOPNOTSUPP;
	saved = vbm_verbs_begin();
	ret = vbm_verbs_code(verbs->query_port(context, port_num, attr, size));
	errno = saved;
	return ret;
}

/* Whether it is the caller's arguments because of which the query failed. */
static bool is_beyond_table(struct ibv_context *context, uint8_t port_num, int index)
{
	struct ibv_port_attr attr;
	int ret = vbm_query_port(context, port_num, &attr);

	return ret == EINVAL || (ret == 0 && (index < 0 || index >= attr.gid_tbl_len));
}

int vbm_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
	int saved, ret;

	if (!context || !gid)
		return vbm_refuse(EINVAL);
	saved = vbm_verbs_begin();
	ret = vbm_verbs_calls.query_gid(context, port_num, index, gid);
	vbm_verbs_end(saved, ret == 0);
	if (ret == 0)
		return 0;
	return vbm_refuse(is_beyond_table(context, port_num, index) ? EINVAL : errno);
}
