/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/dns.h"

/*
 * The number of names that are asked for at the same time. Each costs two datagrams, and
 * the socket of a name server holds a few hundred. Most of a thousand questions at once
 * would be lost, and asked again only after seconds.
 */
#define AT_ONCE 200

void vbm_engine_init(struct engine *e, const struct gai_config *cfg)
{
	e->cfg = cfg;
	e->open = e->pumping = false;
	e->servers = e->retired = NULL;
	e->asking = e->requests = 0;
	ring_init(&e->waiting);
}

int vbm_engine_open(struct engine *e)
{
	int ret = e->open ? 0 : vbm_loop_init(&e->loop);

	e->open = !ret;
	return ret;
}

static void free_servers(struct name_servers *s)
{
	vbm_dns_client_free(s->client);
	free(s);
}

/* Free the retired name servers: with @all each of them, else those without open questions. */
static void free_retired(struct engine *e, bool all)
{
	struct name_servers **at = &e->retired;

	while (*at) {
		struct name_servers *s = *at;

		if (s->users && !all) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free_servers(s);
	}
}

static void retire(struct engine *e)
{
	if (!e->servers)
		return;
	e->servers->next = e->retired;
	e->retired = e->servers;
	e->servers = NULL;
}

void vbm_engine_close(struct engine *e)
{
	if (!e->open)
		return;
	retire(e);
	free_retired(e, true);
	vbm_loop_fini(&e->loop);
	e->open = e->pumping = false;
}

void vbm_engine_cut(struct engine *e)
{
	if (!e->open)
		return;
	e->pumping = true;	/* so no look-up that waits for its turn starts now */
	vbm_loop_fini(&e->loop);
}

void vbm_engine_run(struct engine *e)
{
	vbm_loop_dispatch(&e->loop);
	free_retired(e, false);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int new_servers(struct engine *e, const struct stat *st, struct name_servers **out)
{
	struct name_servers *s = vbm_mem_zalloc(sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->stat = *st;
	ret = vbm_resolv_load(&s->conf, e->cfg->resolv);
	if (!ret)
		ret = vbm_dns_client_new(&e->loop, &s->conf, e->cfg->dns_port, &s->client);
	if (ret) {
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

int vbm_engine_use_servers(struct engine *e, struct name_servers **servers)
{
	struct stat st;
	int ret;

	if (stat(e->cfg->resolv, &st))
		memset(&st, 0, sizeof(st));
	if (e->servers && !same_file(&e->servers->stat, &st))
		retire(e);
	if (!e->servers) {
		ret = new_servers(e, &st, &e->servers);
		if (ret)
			return ret;
	}
	e->servers->users++;
	*servers = e->servers;
	return 0;
}

void vbm_engine_drop_servers(struct name_servers *servers)
{
	servers->users--;
}

/* A look-up may end at once and let the next one in. The loop prevents a recursion. */
static void pump(struct engine *e)
{
	if (e->pumping)
		return;
	e->pumping = true;
	while (e->asking < AT_ONCE && !ring_empty(&e->waiting)) {
		struct turn *t = container_of(e->waiting.next, struct turn, node);

		ring_remove(&t->node);
		e->asking++;
		t->ask(t);
	}
	e->pumping = false;
}

void vbm_engine_enter(struct engine *e, struct turn *t)
{
	ring_add(&e->waiting, &t->node);
	pump(e);
}

void vbm_engine_leave(struct engine *e, struct turn *t)
{
	if (!ring_empty(&t->node)) {
		ring_remove(&t->node);
		return;
	}
	e->asking--;
	pump(e);
}
