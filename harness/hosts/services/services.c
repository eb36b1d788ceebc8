/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/services.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "services/service.h"

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
