/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "acm/answer.h"
#include "base/xalloc.h"
#include "dns/zone.h"
#include "compile/check.h"
#include "compile/names.h"
#include "compile/ref.h"

/* Steps whose names begin so speak of a server, which a key of the head starts. */
static const struct {
	const char *prefix, *what;
	enum names_key key;
} servers[] = {
	{"dns_", "name server", NAMES_DNS},
	{"acm_", "path service", NAMES_ACM},
};

static void complain(void *arg, struct pos pos, const char *text)
{
	struct checker *c = arg;

	diag_add(c->diag, pos, NULL, "%s", text);
}

static struct critic critic_of(struct checker *c)
{
	return (struct critic){.say = complain, .arg = c, .references = true};
}

/* No step has run yet: a fact of a host or a variable is all there is. */
static void check_references(struct checker *c, const struct value *v)
{
	struct ref_target target;
	size_t i;

	if (ref_is(v) && scope_resolve(&c->scope, v, c->diag, &target) && target.field)
		diag_add(c->diag, v->pos, NULL, "'%s' is not known before the first step", v->s);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		check_references(c, v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		check_references(c, v->map.member[i].value);
}

static void keep(struct checker *c, enum names_key key, const struct value *v)
{
	check_references(c, v);
	c->s->names[key] = value_dup(v);
}

void check_dns(struct checker *c, struct value *v)
{
	struct critic critic = critic_of(c);

	dns_zone_read(NULL, v, &critic);
	keep(c, NAMES_DNS, v);
}

void check_hosts(struct checker *c, struct value *v)
{
	struct critic critic = critic_of(c);

	names_check_hosts(v, c->scope.hosts, &critic);
	keep(c, NAMES_HOSTS, v);
}

void check_services(struct checker *c, struct value *v)
{
	struct critic critic = critic_of(c);

	names_check_services(v, &critic);
	keep(c, NAMES_SERVICES, v);
}

void check_resolv(struct checker *c, struct value *v)
{
	struct critic critic = critic_of(c);

	names_check_resolv(v, &critic);
	keep(c, NAMES_RESOLV, v);
}

void check_acm(struct checker *c, struct value *v)
{
	struct critic critic = critic_of(c);
	struct acm_answer answer;

	acm_answer_read(&answer, v, &critic);
	keep(c, NAMES_ACM, v);
}

static void check_server(struct checker *c, const struct plan_step *step)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(servers); i++)
		if (!strncmp(step->kind->name, servers[i].prefix, strlen(servers[i].prefix)) &&
		    !c->s->names[servers[i].key])
			diag_add(c->diag, step->pos,
				 xasprintf("'%s:' in the head starts one",
					   names_keys[servers[i].key]),
				 "%s: this scenario has no %s", step->kind->name, servers[i].what);
}

void check_names_used(struct checker *c)
{
	size_t i;

	for (i = 0; i < c->s->step_count; i++)
		check_server(c, &c->s->steps[i]);
}
