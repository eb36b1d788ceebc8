/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "dns.h"
#include "databases.h"
#include "mem.h"

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int resolver_new(struct vbm_channel *ch, const struct stat *st, struct resolver **out)
{
	struct resolver *r = vbm_mem_zalloc(sizeof(*r));
	int ret;

	if (!r)
		return -ENOMEM;
	r->stat = *st;
	ret = vbm_resolv_load(&r->conf, ch->cfg->resolv);
	if (!ret)
		ret = vbm_dns_client_new(&ch->loop, &r->conf, ch->cfg->dns_port, &r->client);
	if (ret) {
		free(r);
		return ret;
	}
	*out = r;
	return 0;
}

static void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	vbm_dns_client_free(r->client);
	free(r);
}

/* Questions that are out keep the client they were put to. */
static void retire(struct vbm_channel *ch)
{
	struct resolver *r = ch->resolver;

	if (r) {
		r->next = ch->retired;
		ch->retired = r;
	}
	ch->resolver = NULL;
}

int vbm_resolver_use(struct vbm_channel *ch, struct resolver **resolver)
{
	struct stat st;

	if (stat(ch->cfg->resolv, &st))
		memset(&st, 0, sizeof(st));
	if (ch->resolver && !same_file(&ch->resolver->stat, &st))
		retire(ch);
	if (!ch->resolver) {
		int ret = resolver_new(ch, &st, &ch->resolver);

		if (ret)
			return ret;
	}
	ch->resolver->users++;
	*resolver = ch->resolver;
	return 0;
}

void vbm_resolver_drop(struct resolver *resolver)
{
	resolver->users--;
}

void vbm_resolver_sweep(struct vbm_channel *ch)
{
	struct resolver **at = &ch->retired;

	while (*at) {
		struct resolver *r = *at;

		if (r->users) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		resolver_free(r);
	}
}

void vbm_resolver_free_all(struct vbm_channel *ch)
{
	retire(ch);
	vbm_resolver_sweep(ch);
}
