/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_query_port() is not here: headers make it a call through the context, to the
 * device's driver.
 */
#include "lib/base/behind.h"
#include "lib/verbs/verbs.h"

static struct behind_library libibverbs = {.name = "libibverbs.so.1"};

#define NEXT(call) ((__typeof__(&call))vbm_behind(&libibverbs, #call))

static struct ibv_device **next_get_device_list(int *num_devices)
{
	return NEXT(ibv_get_device_list)(num_devices);
}

static void next_free_device_list(struct ibv_device **list)
{
	NEXT(ibv_free_device_list)(list);
}

static struct ibv_context *next_open_device(struct ibv_device *device)
{
	return NEXT(ibv_open_device)(device);
}

static int next_close_device(struct ibv_context *context)
{
	return NEXT(ibv_close_device)(context);
}

static int next_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	return NEXT(ibv_query_device)(context, attr);
}

static int next_query_gid(struct ibv_context *context, uint8_t port_num, int index,
			  union ibv_gid *gid)
{
	return NEXT(ibv_query_gid)(context, port_num, index, gid);
}

static struct ibv_pd *next_alloc_pd(struct ibv_context *context)
{
	return NEXT(ibv_alloc_pd)(context);
}

static int next_dealloc_pd(struct ibv_pd *pd)
{
	return NEXT(ibv_dealloc_pd)(pd);
}

static struct ibv_cq *next_create_cq(struct ibv_context *context, int cqe, void *cq_context,
				     struct ibv_comp_channel *channel, int comp_vector)
{
	return NEXT(ibv_create_cq)(context, cqe, cq_context, channel, comp_vector);
}

static int next_destroy_cq(struct ibv_cq *cq)
{
	return NEXT(ibv_destroy_cq)(cq);
}

/* The library calls libibverbs directly, so that its calls do not come back here. */
static void __attribute__((constructor)) stand_in_front(void)
{
	vbm_verbs_calls = (struct verbs_calls){
		.get_device_list = next_get_device_list,
		.free_device_list = next_free_device_list,
		.open_device = next_open_device,
		.close_device = next_close_device,
		.query_device = next_query_device,
		.query_gid = next_query_gid,
		.alloc_pd = next_alloc_pd,
		.dealloc_pd = next_dealloc_pd,
		.create_cq = next_create_cq,
		.destroy_cq = next_destroy_cq,
	};
}

VBM_API struct ibv_device **ibv_get_device_list(int *num_devices)
{
	return vbm_get_device_list(num_devices);
}

VBM_API void ibv_free_device_list(struct ibv_device **list)
{
	vbm_free_device_list(list);
}

VBM_API struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	return vbm_open_device(device);
}

VBM_API int ibv_close_device(struct ibv_context *context)
{
	return vbm_close_device(context);
}

VBM_API int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	return vbm_query_device(context, attr);
}

VBM_API int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
			  union ibv_gid *gid)
{
	return vbm_query_gid(context, port_num, index, gid);
}

VBM_API struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	return vbm_alloc_pd(context);
}

VBM_API int ibv_dealloc_pd(struct ibv_pd *pd)
{
	return vbm_dealloc_pd(pd);
}

VBM_API struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
				     struct ibv_comp_channel *channel, int comp_vector)
{
	return vbm_create_cq(context, cqe, cq_context, channel, comp_vector);
}

VBM_API int ibv_destroy_cq(struct ibv_cq *cq)
{
	return vbm_destroy_cq(cq);
}
