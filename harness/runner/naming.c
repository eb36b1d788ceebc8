/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner/naming.h"

#include <stdlib.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "fail.h"
#include "compile/names.h"

struct naming {
	struct value *said[NAMES_COUNT];	/* owned; no references; or NULL */
	struct dns_server *server;		/* owned, or NULL */
	struct agent_names *host;		/* owned; so are its hosts */
	char *services, *resolv;		/* owned; every host's, or NULL */
	int hosts;
};

static int resolve_all(struct naming *n, const struct value *said, const struct env *env,
		       struct vbm_error *err)
{
	int i, ret;

	for (i = 0; i < NAMES_COUNT; i++) {
		if (!value_get(said, names_keys[i]))
			continue;
		ret = env_resolve(env, value_get(said, names_keys[i]), &n->said[i], err);
		if (ret < 0)
			return vbm_wrap(err, "%s", names_keys[i]);
	}
	return 0;
}

static int start_server(struct naming *n, const struct fabric *fabric, struct dns_pool *pool,
			struct vbm_error *err)
{
	int last = n->hosts - 1;
	struct dns_server_options opts = {
		.netns_fd = fabric_netns_fd(fabric, last),
		.address = fabric_host(fabric, last)->ip4,
	};

	if (!n->said[NAMES_DNS])
		return 0;
	return dns_server_start(&n->server, pool, &opts, n->said[NAMES_DNS], err);
}

static int make_files(struct naming *n, const struct fabric *fabric, struct vbm_error *err)
{
	const char *server = n->server ? fabric_host(fabric, n->hosts - 1)->ip4 : NULL;
	char *hosts;
	int i;

	if (names_resolv_file(n->said[NAMES_RESOLV], server, &n->resolv, err) < 0)
		return vbm_wrap(err, "resolv");
	if (n->said[NAMES_SERVICES] &&
	    names_services_file(n->said[NAMES_SERVICES], &n->services, err) < 0)
		return vbm_wrap(err, "services");
	for (i = 0; i < n->hosts; i++) {
		if (names_hosts_file(n->said[NAMES_HOSTS], fabric_host(fabric, i)->name, &hosts,
				     err) < 0)
			return vbm_wrap(err, "hosts");
		n->host[i] = (struct agent_names){
			.hosts = hosts,
			.resolv = n->resolv,
			.nsswitch = names_nsswitch,
			.services = n->services,
			.dns_log_fd = n->server ? dns_server_log_fd(n->server) : -1,
			.dns_pidfd = n->server ? dns_server_pidfd(n->server) : -1,
			.acm = n->said[NAMES_ACM],
		};
	}
	return 0;
}

int naming_new(struct naming **out, const struct value *said, const struct env *env,
	       const struct fabric *fabric, struct dns_pool *pool, struct vbm_error *err)
{
	struct naming *n;
	int ret;

	*out = NULL;
	if (!said->map.count)
		return 0;
	n = xcalloc(1, sizeof(*n));
	n->hosts = fabric_host_count(fabric);
	n->host = xcalloc((size_t)n->hosts, sizeof(*n->host));
	ret = resolve_all(n, said, env, err);
	if (ret == 0)
		ret = start_server(n, fabric, pool, err);
	if (ret == 0)
		ret = make_files(n, fabric, err);
	if (ret < 0)
		naming_free(n);
	else
		*out = n;
	return ret;
}

void naming_free(struct naming *n)
{
	int i;

	if (!n)
		return;
	dns_server_stop(n->server);
	for (i = 0; i < n->hosts; i++)
		free((char *)(uintptr_t)n->host[i].hosts);
	for (i = 0; i < NAMES_COUNT; i++)
		value_free(n->said[i]);
	free(n->host);
	free(n->services);
	free(n->resolv);
	free(n);
}

const struct agent_names *naming_of(const struct naming *n, int host)
{
	return n ? &n->host[host] : NULL;
}
