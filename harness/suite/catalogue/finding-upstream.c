/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/finding-upstream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"

/* The project whose versions count for a layer. @fact is the capability for its version in "when:". */
static const struct {
	const char *layer, *project, *fact;
} projects[] = {
	{"librdmacm", "rdma-core", "rdma_core"},   {"libibverbs", "rdma-core", "rdma_core"},
	{"librxe", "rdma-core", "rdma_core"},	   {"manual page", "rdma-core", "rdma_core"},
	{"rdma_cm", "Linux", "kernel"},		   {"ib_core", "Linux", "kernel"},
	{"ib_uverbs", "Linux", "kernel"},	   {"rdma_rxe", "Linux", "kernel"},
	{"glibc", "glibc", NULL},
};

static size_t project_of(const struct finding *d)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(projects); i++)
		if (d->layer && !strcmp(d->layer, projects[i].layer))
			break;
	return i;
}

const char *finding_project(const struct finding *d)
{
	size_t i = project_of(d);

	return i < ARRAY_SIZE(projects) ? projects[i].project : NULL;
}

bool finding_is_of_stack(const struct finding *d)
{
	return d->kind != FINDING_DOCUMENTATION && d->kind != FINDING_OTHER;
}

/* Whether a condition on kernel or rdma-core excludes these versions. */
static bool excludes_versions(const struct finding *d, const char *kernel, const char *rdma_core)
{
	const struct facts facts = {.kernel = kernel, .rdma_core = rdma_core};
	const char *name;
	size_t i;

	for (i = 0; i < d->when_count; i++) {
		auto_free char *why = NULL;

		name = d->when[i].capability->name;
		if ((kernel && !strcmp(name, "kernel")) ||
		    (rdma_core && !strcmp(name, "rdma_core")))
			if (!require_holds(&d->when[i], &facts, &why))
				return true;
	}
	return false;
}

bool finding_is_history(const struct finding *d, const struct findings_newest *newest)
{
	return excludes_versions(d, newest->kernel, newest->rdma_core);
}

static void add_link(struct finding *d, const struct value *v, struct diagnostics *diag)
{
	if (v->type != VALUE_STRING)
		diag_add(diag, v->pos, NULL, "link: must be a text or a list of texts");
	else if (d->link_count == FINDING_LINKS_MAX)
		diag_add(diag, v->pos, NULL, "link: has more than %d texts", FINDING_LINKS_MAX);
	else
		d->link[d->link_count++] = xstrdup(v->s);
}

void finding_take_links(struct finding *d, const struct value *v, struct diagnostics *diag)
{
	size_t i;

	if (v->type != VALUE_LIST)
		add_link(d, v, diag);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		add_link(d, v->list.item[i], diag);
}

static bool is_commit(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return !s[n] && n >= 7 && n <= 40;
}

static bool is_version(const char *s)
{
	return isdigit((unsigned char)*s) && !s[strspn(s, "0123456789.")];
}

/* A member of a map whose members are texts with a form. */
struct member {
	const char *key;
	char **out;
	struct pos *pos;	/* may be NULL */
	bool (*is_good)(const char *s);
	const char *form;	/* its form, for messages */
};

static void take_one(const struct member *members, const char *whose,
		     const struct value_member *m, struct diagnostics *diag)
{
	auto_free char *text = NULL;
	struct suggestion s;

	suggest_init(&s, m->key);
	for (; members->key && strcmp(members->key, m->key); members++)
		suggest_offer(&s, members->key);
	if (!members->key) {
		diag_add(diag, m->pos, diag_did_you_mean(suggest_best(&s)),
			 "%s has no key '%s'", whose, m->key);
		return;
	}
	if (m->value->type == VALUE_STRING)
		text = xstrdup(m->value->s);
	else if (m->value->type == VALUE_INT)
		text = value_show(m->value);
	if (members->pos)
		*members->pos = m->value->pos;
	if (!text || !members->is_good(text)) {
		diag_add(diag, m->value->pos, NULL, "%s: must be %s", m->key, members->form);
		return;
	}
	*members->out = text;
	text = NULL;
}

static void take_members(const struct member *members, const char *whose, const struct value *v,
			 struct diagnostics *diag)
{
	size_t i;

	if (v->type != VALUE_MAP || !v->map.count)
		diag_add(diag, v->pos, NULL, "%s must be a map with '%s:' or '%s:'", whose,
			 members[0].key, members[1].key);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		take_one(members, whose, &v->map.member[i], diag);
}

void finding_take_fix(struct finding *d, const struct value *v, struct diagnostics *diag)
{
	const struct member members[] = {
		{"commit", &d->fixed_by.commit, NULL, is_commit,
		 "the id of a commit, 7 to 40 hexadecimal digits"},
		{"release", &d->fixed_by.release, &d->fixed_by.release_pos, is_version,
		 "a version such as 6.12.117"},
		{0},
	};

	d->fixed_by.pos = v->pos;
	take_members(members, "fixed_by:", v, diag);
}

void findings_take_newest(struct findings_newest *n, const struct value *v,
			  struct diagnostics *diag)
{
	const struct member members[] = {
		{"kernel", &n->kernel, NULL, is_version, "a version such as 7.3.4"},
		{"rdma_core", &n->rdma_core, NULL, is_version, "a version such as 65.0"},
		{0},
	};

	if (n->kernel || n->rdma_core)
		diag_add(diag, v->pos, NULL, "newest: is also in another file of this suite");
	else
		take_members(members, "newest:", v, diag);
}

void finding_settle_fix(const struct finding *d, struct diagnostics *diag)
{
	const char *release = d->fixed_by.release, *fact;
	size_t i = project_of(d);
	bool excluded;

	if (!d->fixed_by.pos.line)
		return;
	if (i == ARRAY_SIZE(projects)) {
		diag_add(diag, d->fixed_by.pos, NULL, "fixed_by: needs a 'layer:' whose project "
			 "is known, such as librdmacm or rdma_rxe");
		return;
	}
	fact = projects[i].fact;
	if (!release || !fact)
		return;
	excluded = excludes_versions(d, !strcmp(fact, "kernel") ? release : NULL,
			       !strcmp(fact, "kernel") ? NULL : release);
	if (!excluded)
		diag_add(diag, d->fixed_by.release_pos, NULL, "%s %s has the fix, but when: does "
			 "not exclude it: add a bound such as '%s<%s'", projects[i].project,
			 release, fact, release);
}

/* Whether number @nth of the version, counted from 0, is above 0. */
static bool is_point_release(const char *version, int nth)
{
	for (; version && nth > 0; nth--) {
		version = strchr(version, '.');
		version = version ? version + 1 : NULL;
	}
	return version && strtoul(version, NULL, 10) > 0;
}

bool finding_may_be_fixed(const struct finding *d, const struct facts *facts)
{
	size_t i = project_of(d);
	const char *fact;

	if (!d->fixed_by.release || i == ARRAY_SIZE(projects) || !projects[i].fact)
		return false;
	fact = projects[i].fact;
	return !strcmp(fact, "kernel") ? is_point_release(facts->kernel, 2) :
					 is_point_release(facts->rdma_core, 1);
}

void finding_upstream_fini(struct finding *d)
{
	size_t i;

	for (i = 0; i < d->link_count; i++)
		free(d->link[i]);
	free(d->fixed_by.commit);
	free(d->fixed_by.release);
}

void findings_newest_fini(struct findings_newest *n)
{
	free(n->kernel);
	free(n->rdma_core);
	*n = (struct findings_newest){0};
}
