/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "acm/answer.h"
#include "base/xalloc.h"
#include "compile/compile.h"
#include "compile/names.h"
#include "dns/zone.h"

static void check_dns(const struct value *v, int hosts, struct critic *critic)
{
	(void)hosts;
	dns_zone_read(NULL, v, critic);
}

static void check_hosts(const struct value *v, int hosts, struct critic *critic)
{
	names_check_hosts(v, hosts, critic);
}

static void check_service_names(const struct value *v, int hosts, struct critic *critic)
{
	(void)hosts;
	names_check_services(v, critic);
}

static void check_resolv(const struct value *v, int hosts, struct critic *critic)
{
	(void)hosts;
	names_check_resolv(v, critic);
}

static void check_acm(const struct value *v, int hosts, struct critic *critic)
{
	struct acm_answer answer;

	(void)hosts;
	acm_answer_read(&answer, v, critic);
}

/* Keys of the head that start something or write files. */
static const struct {
	enum names_key key;
	void (*check)(const struct value *v, int hosts, struct critic *critic);
	const char *prefix, *what;	/* steps whose names begin so speak of it */
} services[] = {
	{NAMES_DNS, check_dns, "dns_", "name server"},
	{NAMES_HOSTS, check_hosts, NULL, NULL},
	{NAMES_SERVICES, check_service_names, NULL, NULL},
	{NAMES_RESOLV, check_resolv, NULL, NULL},
	{NAMES_ACM, check_acm, "acm_", "path service"},
};

static void complain(void *arg, struct pos pos, const char *text)
{
	struct compiler *c = arg;

	diag_add(c->diag, pos, NULL, "%s", text);
}

/* No step has run yet: facts of hosts are all there is. */
static void check_references(struct compiler *c, const struct value *v)
{
	size_t i;

	if (v->type == VALUE_EXPR)
		scope_kind_of(&c->scope, v, c->diag);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		check_references(c, v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		check_references(c, v->map.member[i].value);
}

void check_services(struct compiler *c)
{
	struct critic critic = {.say = complain, .arg = c, .references = true};
	const char *key;
	struct value *v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		key = names_keys[services[i].key];
		if (!value_get(c->root, key))
			continue;
		v = value_dup(value_get(c->root, key));
		if (expand_value(c, &v)) {
			services[i].check(v, c->scope.hosts, &critic);
			check_references(c, v);
		}
		value_set(c->v->services, key, v);
	}
}

static void check_server(struct compiler *c, const struct item *item)
{
	const char *key;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		key = names_keys[services[i].key];
		if (services[i].prefix && !value_get(c->v->services, key) &&
		    !strncmp(item->kind->name, services[i].prefix, strlen(services[i].prefix)))
			diag_add(c->diag, item->origin.pos,
				 xasprintf("'%s:' in the head starts one", key),
				 "%s: this scenario has no %s", item->kind->name, services[i].what);
	}
}

void check_services_used(struct compiler *c)
{
	size_t i;

	for (i = 0; i < c->v->item_count; i++)
		check_server(c, &c->v->items[i]);
}
