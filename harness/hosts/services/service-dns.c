/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/server.h"
#include "dns/zone.h"
#include "services/service.h"

static void check_dns(const struct value *v, int hosts, struct diagnostics *diag)
{
	(void)hosts;
	dns_zone_read(NULL, v, diag);
}

/* The name server is on the last host. All hosts use it. */
static int start_dns(struct serving *s, const struct value *v, void **state, struct vbm_error *err)
{
	const struct service_host *last = &s->setup.host[s->setup.hosts - 1];
	struct dns_server_options opts = {
		.netns_fd = last->netns_fd,
		.address = last->info->ip4,
	};
	struct dns_server *server;
	int i;

	if (!v)
		return 0;
	if (dns_server_start(&server, s->setup.dns, &opts, v, err) < 0)
		return -err->code;
	*state = server;
	s->name_server = last->info->ip4;
	for (i = 0; i < s->setup.hosts; i++) {
		s->files[i].dns_log_fd = dns_server_log_fd(server);
		s->files[i].dns_pidfd = dns_server_pidfd(server);
	}
	return 0;
}

static int check_dns_pool(const struct serving *s, const void *state, struct vbm_error *err)
{
	return state ? dns_pool_check(s->setup.dns, err) : 0;
}

static void stop_dns(void *state)
{
	dns_server_stop(state);
}

const struct service service_dns = {
	.key = "dns",
	.doc = "A name server for all hosts, and its answers for each name.",
	.steps = "dns_",
	.what = "name server",
	.check = check_dns,
	.start = start_dns,
	.look = check_dns_pool,
	.stop = stop_dns,
};
