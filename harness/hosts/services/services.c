/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/services.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acm/answer.h"
#include "base/xalloc.h"
#include "dns/server.h"
#include "dns/zone.h"
#include "lib/base/fail.h"
#include "services/etc-files.h"

/* The state that the entries of the table share. */

#define SERVICES_MAX 16

struct serving {
	struct service_setup setup;	/* owns its hosts */
	struct value *keys;		/* owned */
	struct host_files *files;	/* owned; one for each host, which owns hosts, resolv and services */
	const char *name_server;	/* its address; NULL: no name server, or not started yet */
	void *state[SERVICES_MAX];	/* one for each entry of the table */
};

static void check_acm(const struct value *v, int hosts, struct diagnostics *diag)
{
	struct acm_answer answer;

	(void)hosts;
	acm_answer_read(&answer, v, diag);
}

/* The agent of each host runs the service, with a /run of its own. */
static int start_acm(struct serving *s, const struct value *v, void **state, struct vbm_error *err)
{
	int i;

	(void)state;
	(void)err;
	for (i = 0; i < s->setup.hosts; i++)
		s->files[i].acm = v;
	return 0;
}

static const struct service service_acm = {
	.key = "acm",
	.doc = "A path service on every host, and its answers.",
	.steps = "acm_",
	.what = "path service",
	.check = check_acm,
	.start = start_acm,
};

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

static const struct service service_dns = {
	.key = "dns",
	.doc = "A name server for all hosts, and its answers for each name.",
	.steps = "dns_",
	.what = "name server",
	.check = check_dns,
	.start = start_dns,
	.look = check_dns_pool,
	.stop = stop_dns,
};

static int start_hosts(struct serving *s, const struct value *v, void **state,
		       struct vbm_error *err)
{
	char *text;
	int i;

	(void)state;
	for (i = 0; i < s->setup.hosts; i++) {
		if (etc_hosts(v, s->setup.host[i].info->name, &text, err) < 0)
			return -err->code;
		s->files[i].hosts = text;
		s->files[i].nsswitch = etc_nsswitch;
	}
	return 0;
}

static int start_services(struct serving *s, const struct value *v, void **state,
			  struct vbm_error *err)
{
	char *text;
	int i;

	(void)state;
	for (i = 0; v && i < s->setup.hosts; i++) {
		if (etc_services(v, &text, err) < 0)
			return -err->code;
		s->files[i].services = text;
	}
	return 0;
}

static int start_resolv(struct serving *s, const struct value *v, void **state,
			struct vbm_error *err)
{
	char *text;
	int i;

	(void)state;
	for (i = 0; i < s->setup.hosts; i++) {
		if (etc_resolv(v, s->name_server, &text, err) < 0)
			return -err->code;
		s->files[i].resolv = text;
	}
	return 0;
}

static const struct service service_hosts = {
	.key = "hosts",
	.doc = "Lines of hosts(5), in addition to those of localhost.",
	.check = etc_check_hosts,
	.start = start_hosts,
};

static const struct service service_services = {
	.key = "services",
	.doc = "All services of services(5).",
	.check = etc_check_services,
	.start = start_services,
};

static const struct service service_resolv = {
	.key = "resolv",
	.doc = "Options of resolv.conf(5).",
	.check = etc_check_resolv,
	.start = start_resolv,
};

/* A service stands after the services that it needs. */
const struct service *const service_table[] = {
	&service_dns,
	&service_hosts,
	&service_services,
	&service_resolv,
	&service_acm,
	NULL,
};

_Static_assert(ARRAY_SIZE(service_table) <= SERVICES_MAX, "SERVICES_MAX is too small");

const struct service *service_of_step(const char *step)
{
	size_t i;

	for (i = 0; service_table[i]; i++)
		if (service_table[i]->steps &&
		    strncmp(step, service_table[i]->steps, strlen(service_table[i]->steps)) == 0)
			return service_table[i];
	return NULL;
}

static bool names_one(const struct value *keys)
{
	size_t i;

	for (i = 0; service_table[i]; i++)
		if (value_get(keys, service_table[i]->key))
			return true;
	return false;
}

static struct serving *serving_new(const struct value *keys, const struct service_setup *setup)
{
	struct serving *s = xcalloc(1, sizeof(*s));
	struct service_host *host = xcalloc((size_t)setup->hosts, sizeof(*host));
	int i;

	s->setup = *setup;
	s->setup.host = memcpy(host, setup->host, (size_t)setup->hosts * sizeof(*host));
	s->keys = value_dup(keys);
	s->files = xcalloc((size_t)setup->hosts, sizeof(*s->files));
	for (i = 0; i < setup->hosts; i++)
		s->files[i].dns_log_fd = s->files[i].dns_pidfd = -1;
	return s;
}

int services_start(struct serving **out, const struct value *keys,
		   const struct service_setup *setup, struct vbm_error *err)
{
	struct serving *s;
	size_t i;
	int ret;

	*out = NULL;
	if (!names_one(keys))
		return 0;
	s = serving_new(keys, setup);
	for (i = 0; service_table[i]; i++) {
		ret = service_table[i]->start(s, value_get(s->keys, service_table[i]->key), &s->state[i], err);
		if (ret < 0) {
			services_stop(s);
			return vbm_wrap(err, "%s", service_table[i]->key);
		}
	}
	*out = s;
	return 0;
}

int services_look(const struct serving *s, struct vbm_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; s && ret == 0 && service_table[i]; i++)
		if (service_table[i]->look)
			ret = service_table[i]->look(s, s->state[i], err);
	return ret;
}

void services_stop(struct serving *s)
{
	size_t i;
	int h;

	if (!s)
		return;
	for (i = 0; service_table[i]; i++)
		if (service_table[i]->stop)
			service_table[i]->stop(s->state[i]);
	for (h = 0; h < s->setup.hosts; h++) {
		free((char *)(uintptr_t)s->files[h].hosts);
		free((char *)(uintptr_t)s->files[h].resolv);
		free((char *)(uintptr_t)s->files[h].services);
	}
	free((struct service_host *)(uintptr_t)s->setup.host);
	free(s->files);
	value_free(s->keys);
	free(s);
}

const struct host_files *services_of(const struct serving *s, int host)
{
	return s ? &s->files[host] : NULL;
}
