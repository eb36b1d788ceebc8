/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/match.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"

/*
 * A finding turns failures into expected ones. If its pattern is too general, it
 * would hide any failure: a crash, a panic, or an error that a later change makes.
 */

/* Complaints with invented functions and files. A pattern that matches one is too general. */
static const char *const any_complaint[] = {
	"WARNING: CPU: 0 PID: 1 at drivers/no/such/file.c:1 no_such_function+0x1/0x2",
	"WARNING: drivers/no/such/file.c:1 at no_such_function+0x1/0x2, CPU#0: no_program/1",
	"WARNING: possible circular locking dependency detected\nno_program/1 is trying to take a lock",
	"BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
	"Oops: 0000 [#1] SMP\nRIP: 0010:no_such_function+0x1/0x2\n"
	"Kernel panic - not syncing: Fatal exception",
	"BUG: KASAN: slab-use-after-free in no_such_function+0x1/0x2",
	"BUG: unable to handle page fault for address: 0000000000000000",
	"BUG: soft lockup - CPU#0 stuck for 22s! [no_program:1]",
	"UBSAN: array-index-out-of-bounds in drivers/no/such/file.c:1:1",
	"refcount_t: underflow; use-after-free.",
	"INFO: task no_program:1 blocked for more than 120 seconds.",
	"Kernel panic - not syncing: Segfault with no mm\nRIP: 0033:no_such_function+0x1/0x2",
};

/* The same, with function and file names that begin like those of the stack. */
static const char *const any_complaint_of_rdma[] = {
	"BUG: KASAN: slab-use-after-free in rxe_no_such_function+0x1/0x2 [rdma_rxe]",
	"WARNING: drivers/infiniband/sw/rxe/no_such_file.c:1 at rxe_no_such_function+0x1/0x2, CPU#0: no_program/1",
	"BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
	"Oops: 0000 [#1] SMP\nRIP: 0010:rxe_no_such_function+0x1/0x2 [rdma_rxe]\n"
	"Kernel panic - not syncing: Fatal exception",
	"BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
	"Oops: 0000 [#1] SMP\nRIP: 0010:cma_no_such_function+0x1/0x2 [rdma_cm]\n"
	"Kernel panic - not syncing: Fatal exception",
	"WARNING: drivers/infiniband/core/no_such_file.c:1 at ib_no_such_function+0x1/0x2, CPU#0: no_program/1",
	"Kernel panic - not syncing: Segfault with no mm\nRIP: 0033:rxe_no_such_function+0x1/0x2",
};

static bool takes_one_of(const char *pattern, const char *const *complaint, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (match_name(pattern, complaint[i]))
			return true;
	return false;
}

static void check_complaint(const struct finding_symptom *p, struct diagnostics *diag)
{
	const char *of = NULL;

	if (takes_one_of(p->complaint, any_complaint, ARRAY_SIZE(any_complaint)))
		of = "kernel";
	else if (takes_one_of(p->complaint, any_complaint_of_rdma, ARRAY_SIZE(any_complaint_of_rdma)))
		of = "RDMA stack";
	if (of)
		diag_add(diag, p->complaint_pos,
			 xstrdup("name the function or the file that it comes from"),
			 "'%s' would match any crash of the %s", p->complaint, of);
}

static bool is_every_scenario(const struct finding_symptom *p)
{
	return p->scenario && strspn(p->scenario, "*?") == strlen(p->scenario);
}

void finding_symptom_check_width(const struct finding_symptom *p, struct diagnostics *diag)
{
	bool death = p->field && (!strcmp(p->field, "death") || !strcmp(p->field, "signal"));

	if (p->complaint)
		check_complaint(p, diag);
	else if (death && !p->got)
		diag_add(diag, p->field_pos, NULL, "'got:' must say how the process dies, for example "
			 "SIGSEGV, because another signal is another fault");
	else if (p->got && strspn(p->got, "*?") == strlen(p->got))
		diag_add(diag, p->field_pos, NULL, "'got: %s' would match any value: name a part of the value, or leave "
			 "'got:' out", p->got);
	else if (death && strpbrk(p->got, "*?"))
		diag_add(diag, p->field_pos, NULL, "'got: %s' must name one way to die, because another signal is "
			 "another fault", p->got);
	else if (is_every_scenario(p) && (!p->got || !p->step))
		diag_add(diag, p->scenario_pos, NULL, "'%s' matches every scenario, so 'step:' and "
			 "'got:' must say which failure is meant", p->scenario);
}

/* Whether the pattern matches more than one scenario, whatever their number of variants. */
static bool is_wide(const struct finding_symptom *p, const struct scenario_names *names)
{
	const char *id = NULL;
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (!match_name(p->scenario, names->item[i].name))
			continue;
		if (id && strcmp(id, names->item[i].id))
			return true;
		id = names->item[i].id;
	}
	return false;
}

/* Whether the step has the field @path, which may lead into a list: "results[0].family". */
static bool has_field(const struct step_kind *kind, const char *path)
{
	const struct field *f = kind->fields;
	size_t n;

	if (!strcmp(path, "death") || !strcmp(path, "answer"))
		return true;
	for (;;) {
		n = strcspn(path, "[.");
		while (f && f->name && (strlen(f->name) != n || strncmp(f->name, path, n)))
			f++;
		if (!f || !f->name)
			return false;
		path += n;
		if (*path == '[')
			path += strcspn(path, "]") + (path[strcspn(path, "]")] == ']');
		if (!*path)
			return true;
		if (*path++ != '.')
			return false;
		f = f->sub;
	}
}

struct call_search {
	struct suggestion field, step;
	bool has_step, has_both;
};

static void search_variant(struct call_search *s, const struct scenario_name *n,
			   const struct finding_symptom *p)
{
	const struct field *f;
	size_t i;

	for (i = 0; i < n->calls; i++) {
		suggest_offer(&s->step, n->call[i].text);
		if (p->step && strcmp(n->call[i].text, p->step))
			continue;
		s->has_step = true;
		s->has_both = s->has_both || has_field(n->call[i].kind, p->field);
		for (f = n->call[i].kind->fields; f && f->name; f++)
			suggest_offer(&s->field, f->name);
	}
}

static void check_call(const struct finding_symptom *p, const struct scenario_names *names,
		       struct diagnostics *diag)
{
	struct call_search s = {0};
	bool met = false;
	size_t i;

	suggest_init(&s.field, p->field);
	suggest_init(&s.step, p->step ? p->step : "");
	for (i = 0; i < names->count; i++) {
		if (!match_name(p->scenario, names->item[i].name))
			continue;
		met = true;
		search_variant(&s, &names->item[i], p);
	}
	if (!met || s.has_both)
		return;
	if (!s.has_step)
		diag_add(diag, p->step_pos, diag_did_you_mean(suggest_best(&s.step)),
			 "'%s' has no step '%s'", p->scenario, p->step);
	else
		diag_add(diag, p->field_pos, diag_did_you_mean(suggest_best(&s.field)),
			 p->step ? "'%s' has no field '%s'" : "no step of '%s' has a field '%s'",
			 p->step ? p->step : p->scenario, p->field);
}

static void check_round(const struct finding_symptom *p, const struct scenario_names *names,
			struct diagnostics *diag)
{
	const struct scenario_name *n;
	bool met = false;
	size_t i, k;

	for (i = 0; i < names->count; i++) {
		n = &names->item[i];
		if (!match_name(p->scenario, n->name))
			continue;
		met = true;
		for (k = 0; k < n->rounds; k++)
			if (match_name(p->round, n->round[k]))
				return;
	}
	if (met)
		diag_add(diag, p->round_pos, NULL, "'%s' has no round '%s'", p->scenario, p->round);
}

void finding_check_width(const struct finding *d, const struct scenario_names *names,
			 struct diagnostics *diag)
{
	const struct finding_symptom *p;
	size_t i;

	for (i = 0; i < d->symptom_count; i++) {
		p = &d->symptom[i];
		if (!p->scenario || !p->field)
			continue;
		if (!p->got && !is_every_scenario(p) && is_wide(p, names))
			diag_add(diag, p->scenario_pos, NULL, "'%s' matches more than one scenario, so "
				 "'got:' must say which failure is meant", p->scenario);
		if (!names->some_invalid)
			check_call(p, names, diag);
		if (!names->some_invalid && p->round)
			check_round(p, names, diag);
	}
}
