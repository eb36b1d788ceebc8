/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/account.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "plan/plan.h"

void account_fini(struct account *a)
{
	value_free(a->complaints);
	*a = (struct account){0};
}

void account_begin(struct account *a, const struct variant *v)
{
	a->v = v;
	a->steps = a->next = a->fails = a->not_ok = 0;
}

static bool is_of_the_either_before(const struct variant *v, size_t i)
{
	return i > 0 && v->items[i].either && v->items[i - 1].either == v->items[i].either;
}

/* An either: may end early, when an outcome is reached. No other item may be left out. */
static bool may_jump_to(const struct account *a, size_t to)
{
	size_t i;

	for (i = a->next; i < to; i++)
		if (!is_of_the_either_before(a->v, i))
			return false;
	return to >= a->next;
}

static bool is_by(const struct variant *v, const struct item *item, const struct value *event)
{
	return !strcmp(event_string(event, "host"), v->actors[item->actor].name) &&
	       !strcmp(event_string(event, "call"), item->kind->name);
}

int account_step(struct account *a, const struct value *event, struct vbm_error *err)
{
	int64_t index = event_integer(event, "index");
	size_t at = (size_t)index;

	if (index < 0 || (a->v && (at >= a->v->item_count || !may_jump_to(a, at))))
		return vbm_fail(err, EPROTO, "step %" PRId64 " of '%s' comes out of order", index,
				event_name(event));
	if (a->v && !is_by(a->v, &a->v->items[at], event))
		return vbm_fail(err, EPROTO, "step %" PRId64 " of '%s' is another step in the plan",
				index, a->v->name);
	a->steps++;
	a->next = at + 1;
	a->not_ok += !event_flag(event, "ok");
	return 0;
}

int account_fail(struct account *a, const struct value *event, struct vbm_error *err)
{
	int64_t index = event_integer(event, "index");

	if (index < 0 || (size_t)index >= a->next)
		return vbm_fail(err, EPROTO, "a failure of step %" PRId64
				", which was not carried out", index);
	a->fails++;
	return 0;
}

int account_kernel(struct account *a, const struct value *event, struct vbm_error *err)
{
	/* Only the front end may mark a message as known, when a finding describes it. */
	if (event_has(event, "known"))
		return vbm_fail(err, EPROTO, "a message of the kernel that the runner calls known");
	if (!event_flag(event, "bad"))
		return 0;
	if (!a->complaints)
		a->complaints = value_list();
	value_append(a->complaints, value_string(event_string(event, "text")));
	a->complained = true;
	return 0;
}

#define PASS (1u << VERDICT_PASS)
#define FAIL (1u << VERDICT_FAIL)
#define SKIP (1u << VERDICT_SKIP)
#define ERROR (1u << VERDICT_ERROR)

int account_verdict(struct account *a, const struct value *event, struct vbm_error *err)
{
	const struct value *list = event_strings(event, "complaints");
	const bool lists = event_has(event, "complaints"), lacks_steps = a->v && !may_jump_to(a, a->v->item_count);
	/* The verdicts that a runner must not give, and when. */
	const struct {
		unsigned int verdicts;
		bool when;
		const char *says;
	} rules[] = {
		{~(PASS | FAIL | SKIP | ERROR), true, "is not a verdict that a runner gives"},
		{PASS, a->fails, "after a failure"},
		{PASS, a->not_ok, "after a step that was not as expected"},
		{PASS, lacks_steps, "without all of its steps"},
		{FAIL, !a->fails, "without a failure"},
		{SKIP, a->steps, "after a step"},
		{PASS | FAIL | SKIP, a->complaints, "after a complaint of the kernel"},
		{FAIL | SKIP | ERROR, !*event_string_or(event, "reason", ""), "without a reason"},
		{PASS | FAIL | SKIP, lists, "with complaints of the kernel"},
		/* A list of complaints may excuse the verdict, so it must be exactly the kernel's complaints. */
		{ERROR, list && !(a->complaints && value_equal(list, a->complaints)),
		 "with complaints that the kernel did not have"},
		/*
		 * Each failure needs its own finding. No finding describes a step that went wrong or
		 * is missing without a failure.
		 */
		{ERROR, lists && !a->fails && (a->not_ok || lacks_steps),
		 "for complaints of the kernel, beside steps that went wrong without a failure or are missing"},
	};
	enum verdict v = event_verdict(event);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if ((rules[i].verdicts & (1u << v)) && rules[i].when)
			return vbm_fail(err, EPROTO, "'%s' has the verdict %s: it %s%s",
					event_name(event), verdict_name(v),
					i ? "comes " : "", rules[i].says);
	value_free(a->complaints);
	a->complaints = NULL;
	return 0;
}
