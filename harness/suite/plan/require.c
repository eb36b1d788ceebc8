/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/require.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/sanitizer.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/abilities.h"

const struct capability require_capabilities[] = {
	{"lane", REQUIRE_WORD, "native guest uml", "where the runner runs"},
	{"layout", REQUIRE_WORD, "netns shared", "how the fabric is laid out"},
	{"kernel", REQUIRE_VERSION, NULL, "version of the kernel below the fabric"},
	{"kernel_a", REQUIRE_VERSION, NULL, "version of the kernel of host a, which may have one of its own"},
	{"kernel_b", REQUIRE_VERSION, NULL, "version of the kernel of host b"},
	{"rdma_core", REQUIRE_VERSION, NULL, "version of the rdma-core that is loaded"},
	{"target", REQUIRE_WORD, NULL, "the implementation under test"},
	{"sanitizer", REQUIRE_WORD, "none address", "what the harness is built with; with address, no process runs out of memory"},
	{"device", REQUIRE_WORD, "rxe siw", "type of the hosts' RDMA devices; for findings only"},
	{"can", REQUIRE_SET, ABILITY_WORDS, "an ability of the hosts' RDMA devices"},
	{"connects", REQUIRE_WORD, "modify_qp rdma_cm", "how fragments connect queue pairs: rdma_cm for iWARP and with run --connects rdma_cm"},
	{"faults", REQUIRE_WORD, "yes no", "whether the kernel can make its own allocations fail; kernels of lane uml can"},
	{"time", REQUIRE_WORD, "virtual real", "virtual: the clock jumps over the time in which nothing happens, as in lane uml"},
	{"call", REQUIRE_SET, NULL, "a function that the target has and that works on this kernel"},
	{"program", REQUIRE_SET, NULL, "a program in PATH, as hosts for programs see it"},
	{NULL, REQUIRE_WORD, NULL, NULL},
};

static const char *fact_of(const struct capability *c, const struct facts *facts)
{
	const struct {
		const char *name, *value;
	} known[] = {
		{"lane", facts->lane},		 {"layout", facts->layout},
		{"kernel", facts->kernel},	 {"rdma_core", facts->rdma_core},
		{"kernel_a", facts->kernel_a ? facts->kernel_a : facts->kernel},
		{"kernel_b", facts->kernel_b ? facts->kernel_b : facts->kernel},
		{"target", facts->target},	 {"call", facts->call},
		{"sanitizer", SANITIZER},	 {"program", facts->program},
		{"device", facts->device},	 {"can", facts->can},
		{"faults", facts->faults},	 {"time", facts->time},
		{"connects", facts->connects},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, c->name) == 0)
			return known[i].value;
	return NULL;
}

/* Longest first, so that ">=" is not read as ">". */
static const struct {
	const char *sign;
	enum require_op op;
	bool below, same, above;	/* whether the sign holds for a fact below, equal to or above the value */
} signs[] = {
	{">=", REQUIRE_GE, false, true, true}, {"<=", REQUIRE_LE, true, true, false},
	{"!=", REQUIRE_NE, true, false, true}, {"=", REQUIRE_EQ, false, true, false},
	{">", REQUIRE_GT, false, false, true}, {"<", REQUIRE_LT, true, false, false},
};

static size_t sign_find(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signs); i++)
		if (strncmp(text, signs[i].sign, strlen(signs[i].sign)) == 0)
			break;
	return i;
}

static size_t sign_of(enum require_op op)
{
	size_t i;

	for (i = 0; signs[i].op != op; i++)
		;
	return i;
}

static bool has_word(const char *words, const char *word)
{
	size_t n, want = strlen(word);

	for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
		n = strcspn(words, " ");
		if (n == want && strncmp(words, word, n) == 0)
			return true;
		words += n;
	}
	return false;
}

static bool is_version(const char *s)
{
	return isdigit((unsigned char)*s) && strspn(s, "0123456789.") == strlen(s);
}

static int refuse_capability(const char *name, struct vbm_error *err)
{
	const struct capability *c;
	struct suggestion s;
	auto_free char *hint = NULL;

	suggest_init(&s, name);
	for (c = require_capabilities; c->name; c++)
		suggest_offer(&s, c->name);
	hint = suggest_ending(suggest_best(&s));
	return vbm_fail(err, EINVAL, "there is no capability '%s'%s", name, hint);
}

static int check_value(const struct require *r, struct vbm_error *err)
{
	const struct capability *c = r->capability;

	if (!*r->value || strpbrk(r->value, "<>=! "))
		return vbm_fail(err, EINVAL, "'%s' needs one value after '%s'", c->name,
				signs[sign_of(r->op)].sign);
	if (c->type == REQUIRE_VERSION && !is_version(r->value))
		return vbm_fail(err, EINVAL, "'%s' is compared with a version such as 6.12, "
				"not '%s'", c->name, r->value);
	if (c->type != REQUIRE_VERSION && r->op != REQUIRE_EQ && r->op != REQUIRE_NE)
		return vbm_fail(err, EINVAL, "'%s' is compared with = or !=", c->name);
	if (c->words && !has_word(c->words, r->value))
		return vbm_fail(err, EINVAL, "'%s' is one of: %s", c->name, c->words);
	return 0;
}

int require_parse(struct require *out, const char *text, struct vbm_error *err)
{
	const struct capability *c;
	auto_free char *name = NULL;
	size_t n = strcspn(text, "<>=!"), s = sign_find(text + n);
	const char *value;

	if (!n || s == ARRAY_SIZE(signs))
		return vbm_fail(err, EINVAL, "'%s' is not of the form NAME=VALUE or "
				"NAME>=VERSION", text);
	value = text + n + strlen(signs[s].sign);
	if (strlen(value) >= sizeof(out->value))
		return vbm_fail(err, EINVAL, "the value of '%.*s' is too long", (int)n, text);
	name = xstrndup(text, n);
	for (c = require_capabilities; c->name && strcmp(c->name, name); c++)
		;
	if (!c->name)
		return refuse_capability(name, err);
	out->capability = c;
	out->op = signs[s].op;
	memcpy(out->value, value, strlen(value) + 1);
	return check_value(out, err);
}

char *require_show(const struct require *r)
{
	size_t s = 0;

	while (signs[s].op != r->op)
		s++;
	return xasprintf("%s%s%s", r->capability->name, signs[s].sign, r->value);
}

/* Returns <0, 0 or >0. Compares only as many numbers as @wanted has. */
static int compare_version(const char *fact, const char *wanted)
{
	const char *end;
	int64_t a, b;

	while (*wanted) {
		a = number_begin(fact, &end);
		fact = *end == '.' ? end + 1 : "";
		b = number_begin(wanted, &end);
		wanted = *end == '.' ? end + 1 : "";
		if (a != b)
			return a < b ? -1 : 1;
	}
	return 0;
}

static int compare_fact(const struct require *r, const char *fact)
{
	switch (r->capability->type) {
	case REQUIRE_WORD:
		return strcmp(fact, r->value) != 0;
	case REQUIRE_SET:
		return !has_word(fact, r->value);
	case REQUIRE_VERSION:
		break;
	}
	return compare_version(fact, r->value);
}

static bool accepts(const struct require *r, const char *fact)
{
	size_t s = sign_of(r->op);
	int c = compare_fact(r, fact);

	return c < 0 ? signs[s].below : c > 0 ? signs[s].above : signs[s].same;
}

/* The least version that @r accepts, unless @r has no lower bound. */
static void least(const struct require *r, char out[96])
{
	const char *dot = strrchr(r->value, '.');
	const char *last = dot ? dot + 1 : r->value, *end;

	if (r->op == REQUIRE_GT)
		snprintf(out, 96, "%.*s%" PRIu64, (int)(last - r->value), r->value,
			 (uint64_t)number_begin(last, &end) + 1);
	else
		snprintf(out, 96, "%s", r->value);
}

bool require_excludes(const struct require *a, const struct require *b)
{
	char fact[96];

	if (a->capability != b->capability || a->capability->type == REQUIRE_SET)
		return false;
	if (a->capability->type == REQUIRE_WORD)
		return a->op != b->op ? !strcmp(a->value, b->value) :
					a->op == REQUIRE_EQ && strcmp(a->value, b->value) != 0;
	if (b->op == REQUIRE_EQ && a->op != REQUIRE_EQ)
		return require_excludes(b, a);
	least(b, fact);
	/* "6" means 6.1, 6.2 and so on, so either of the two may be the narrower one. */
	if (a->op == REQUIRE_EQ)
		return !accepts(b, a->value) && (signs[sign_of(b->op)].below || !accepts(a, fact));
	/* Only a lower bound and an upper bound can exclude each other. */
	if (signs[sign_of(a->op)].below)
		return !signs[sign_of(b->op)].below && require_excludes(b, a);
	if (signs[sign_of(b->op)].above)
		return false;
	least(a, fact);
	return !accepts(b, fact);
}

/* Whether the first @count requirements together refuse every word of @c. */
static bool no_word_is_left(const struct require *list, size_t count, const struct capability *c)
{
	const char *words = c->words;
	bool left;
	size_t n, i;

	for (words += strspn(words, " "); *words; words += n + strspn(words + n, " ")) {
		auto_free char *word = NULL;

		n = strcspn(words, " ");
		word = xstrndup(words, n);
		for (left = true, i = 0; i < count; i++)
			left = left && (list[i].capability != c || accepts(&list[i], word));
		if (left)
			return false;
	}
	return true;
}

bool require_conflicts(const struct require *list, size_t at)
{
	const struct capability *c = list[at].capability;
	size_t i;

	for (i = 0; i < at; i++)
		if (require_excludes(&list[i], &list[at]))
			return true;
	return c->type == REQUIRE_WORD && c->words && no_word_is_left(list, at + 1, c) &&
	       !no_word_is_left(list, at, c);
}

bool require_holds(const struct require *req, const struct facts *facts, char **why)
{
	const char *fact = fact_of(req->capability, facts);
	size_t s = sign_of(req->op);

	*why = NULL;
	if (fact && accepts(req, fact))
		return true;
	if (fact && req->op == REQUIRE_EQ && !strcmp(req->capability->name, "can"))
		*why = xasprintf("the RDMA devices here have no %s (can=%s)", ability_what(req->value),
				 req->value);
	else if (fact && req->capability->type != REQUIRE_SET)
		*why = xasprintf("needs %s%s%s, but it is %s", req->capability->name,
				 signs[s].sign, req->value, fact);
	else
		*why = xasprintf("needs %s%s%s, %s", req->capability->name, signs[s].sign,
				 req->value, fact ? "which is missing here" : "which is not known");
	return false;
}
