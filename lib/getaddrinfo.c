/* SPDX-License-Identifier: BSD-2-Clause */
#include "getaddrinfo.h"

#include <errno.h>

#include "dns.h"
#include "gai-config.h"
#include "gai.h"
#include "lookup.h"
#include "literal.h"
#include "loop.h"
#include "resolvconf.h"
#include "result.h"
#include "routes.h"
#include "service.h"

/* A look-up that its caller waits for. */
struct waiting {
	struct gai_work *work;
	int code, error;
	bool over;
};

static void on_found(void *arg, const struct lookup_result *result)
{
	struct waiting *wait = arg;

	wait->over = true;
	wait->code = result->code;
	if (!result->code)
		wait->code = vbm_gai_found(wait->work, result->addrs, result->canon);
	wait->error = result->error;
}

static int system_code(int ret)
{
	if (ret == -ENOMEM)
		return EAI_MEMORY;
	errno = -ret;
	return EAI_SYSTEM;
}

static int look_up_on(struct loop *loop, struct gai_work *w,
		      const struct resolv_conf *conf, const char *node)
{
	struct waiting wait = {.work = w};
	struct lookup lookup = {
		.conf = conf,
		.name = node,
		.family = vbm_gai_lookup_family(w),
		.other_family = w->other_family,
		.done = on_found,
		.arg = &wait,
	};
	int ret = vbm_dns_client_new(loop, conf, w->cfg->dns_port, &lookup.client);

	if (ret)
		return system_code(ret);
	vbm_lookup_start(&lookup);
	while (!wait.over) {
		vbm_loop_settle(loop);
		vbm_loop_wait(loop, -1);
		vbm_loop_dispatch(loop);
	}
	vbm_lookup_clear(&lookup);
	vbm_dns_client_free(lookup.client);
	if (wait.code == EAI_SYSTEM)
		errno = wait.error;
	return wait.code;
}

static int look_up(struct gai_work *w, const char *node)
{
	struct resolv_conf conf;
	struct loop loop;
	int ret = vbm_resolv_load(&conf, w->cfg->resolv);

	if (!ret)
		ret = vbm_loop_init(&loop);
	if (ret)
		return system_code(ret);
	ret = look_up_on(&loop, w, &conf, node);
	vbm_loop_fini(&loop);
	return ret;
}

static int translate(struct gai_work *w, const char *node, const char *service,
		     struct rdma_addrinfo **res)
{
	int ret = vbm_gai_service(w, service);

	if (!ret)
		ret = vbm_gai_node(w, node);
	if (!ret && w->needs_lookup)
		ret = look_up(w, node);
	if (!ret)
		ret = vbm_gai_build(w, res);
	if (!ret && vbm_routes_wanted(w))
		ret = vbm_routes_wait(w, res);
	return ret;
}

static bool asks_to_listen(const struct rdma_addrinfo *h)
{
	return h && h->ai_flags == RAI_PASSIVE &&
	       (h->ai_family == AF_UNSPEC || h->ai_family == AF_INET) && !h->ai_src_len &&
	       !h->ai_dst_len && !h->ai_route_len && !h->ai_connect_len;
}

/*
 * An address to listen on and a port: nothing to look up, discover or ask for.
 * Programs do this most, so it goes past all that is for the others. False
 * when it is not that plain after all.
 */
static bool translate_plain(const char *node, const char *service,
			    const struct rdma_addrinfo *hints,
			    struct rdma_addrinfo **res, int *code)
{
	struct gai_query q;
	uint16_t port;
	uint32_t in;
	union addr a;
	size_t len;

	if (!node || !service || !asks_to_listen(hints))
		return false;
	len = vbm_literal_in(node, &in);
	if (!len || !vbm_service_number(service, &port))
		return false;
	q.flags = hints->ai_flags;
	q.qp_type = hints->ai_qp_type;
	q.port_space = hints->ai_port_space;
	if (!vbm_hints_fill_kind(&q))
		return false;
	vbm_addr_set_in(&a, in, port);
	*res = vbm_result_new(&q, &a, NULL, node, len);
	*code = *res ? 0 : EAI_MEMORY;
	return true;
}

int vbm_gai_translate(const struct gai_config *cfg, const char *node,
		      const char *service, const struct rdma_addrinfo *hints,
		      struct rdma_addrinfo **res)
{
	struct gai_work work;
	enum gai_fault fault;
	int ret;

	if (!res) {
		errno = EINVAL;
		return GAI_ERRNO;
	}
	*res = NULL;
	if (translate_plain(node, service, hints, res, &ret))
		return ret;
	vbm_gai_init(&work, cfg);
	fault = vbm_hints_check(&work.q, hints, GAI_SYNC_FLAGS, !node && !service);
	if (fault)
		return vbm_gai_fault_code(fault);
	ret = translate(&work, node, service, res);
	vbm_gai_clear(&work);
	return ret;
}

int vbm_getaddrinfo(const char *node, const char *service,
		    const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	return vbm_gai_translate(&vbm_gai_system, node, service, hints, res);
}

void vbm_freeaddrinfo(struct rdma_addrinfo *res)
{
	vbm_result_free(res);
}
