/* SPDX-License-Identifier: BSD-2-Clause */
#include "services/etc-files.h"
#include "services/service.h"

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

const struct service service_hosts = {
	.key = "hosts",
	.doc = "Lines of hosts(5), in addition to those of localhost.",
	.check = etc_check_hosts,
	.start = start_hosts,
};

const struct service service_services = {
	.key = "services",
	.doc = "All services of services(5).",
	.check = etc_check_services,
	.start = start_services,
};

const struct service service_resolv = {
	.key = "resolv",
	.doc = "Options of resolv.conf(5).",
	.check = etc_check_resolv,
	.start = start_resolv,
};
