/* SPDX-License-Identifier: BSD-2-Clause */
#include "litmus/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* The operands of each instruction: v a word, n a number, r a register, q a queue pair. */
static const struct instruction {
	const char *name, *operands;
	bool local;		/* of the processor */
} instructions[LITMUS_OPS] = {
	[LITMUS_WRITE] = {"write", "vn", false}, [LITMUS_READ] = {"read", "vr", false}, [LITMUS_ADD] = {"add", "vnr", false},
	[LITMUS_SWAP] = {"swap", "vonr", false}, [LITMUS_SEND] = {"send", "n", false}, [LITMUS_WAIT] = {"wait", "", false},
	[LITMUS_STORE] = {"store", "vn", true}, [LITMUS_LOAD] = {"load", "vr", true},
	[LITMUS_LOCAL_ADD] = {"local-add", "vnr", true}, [LITMUS_RECEIVE] = {"receive", "qr", true},
};

/* The place of the one letter @word in @letters, or -1. */
static int place_of(const char *word, const char *letters)
{
	const char *at = *word && !word[1] ? strchr(letters, *word) : NULL;

	return at ? (int)(at - letters) : -1;
}

static int read_number(const char *word, uint64_t *n, struct vbm_error *err)
{
	int64_t got = 0;

	if (!number_read(word, 0, INT64_MAX, &got))
		return vbm_fail(err, EINVAL, "'%s' is no number of a litmus program", word);
	*n = (uint64_t)got;
	return 0;
}

static int read_operand(struct litmus_instruction *i, char kind, const char *word, struct vbm_error *err)
{
	if (kind == 'n' || kind == 'o')
		return read_number(word, kind == 'n' ? &i->value : &i->old, err);
	if (kind == 'v') {
		i->word = place_of(word, "xyz");
		return i->word < 0 ? vbm_fail(err, EINVAL, "'%s' is no word of a litmus program; they are x, y and z", word) : 0;
	}
	if (kind == 'q') {
		i->pair = place_of(word, "qrst");
		return i->pair < 0 ? vbm_fail(err, EINVAL, "'%s' is no queue pair of a litmus program; they are q, r, s and t", word) : 0;
	}
	i->reg = place_of(word, "abcdefgh");
	return i->reg < 0 ? vbm_fail(err, EINVAL, "'%s' is no register of a litmus program; they are a to h", word) : 0;
}

/* The next word of a text in which blanks separate words; NULL: there is none. */
static char *next_word(char **rest)
{
	char *word;

	while ((word = strsep(rest, " \t\n")) && !*word)
		;
	return word;
}

static int find_instruction(const char *name, bool local, struct vbm_error *err)
{
	int op;

	for (op = 0; op < LITMUS_OPS; op++)
		if (!strcmp(instructions[op].name, name) && instructions[op].local == local)
			return op;
	return vbm_fail(err, EINVAL, "%s no instruction '%s'", local ? "the actor cpu has" : "a queue pair has", name);
}

static int read_instruction(struct litmus_actor *a, char *text, struct vbm_error *err)
{
	struct litmus_instruction *i = &a->item[a->count];
	char *rest = text, *word = next_word(&rest);
	const char *kind;
	int op, rc = 0;

	*i = (struct litmus_instruction){.word = -1, .reg = -1, .pair = -1};
	i->fenced = word && !strcmp(word, "fence");
	if (i->fenced)
		word = next_word(&rest);
	op = find_instruction(word ? word : "", a->pair < 0, err);
	if (op < 0)
		return op;
	i->op = (enum litmus_op)op;
	if (i->fenced && (a->pair < 0 || i->op == LITMUS_WAIT))
		return vbm_fail(err, EINVAL, "fence stands before a request only");
	for (kind = instructions[op].operands; rc == 0 && *kind; kind++) {
		word = next_word(&rest);
		rc = word ? read_operand(i, *kind, word, err) : vbm_fail(err, EINVAL, "'%s' takes more operands", instructions[op].name);
	}
	if (rc == 0 && next_word(&rest))
		return vbm_fail(err, EINVAL, "'%s' takes fewer operands", instructions[op].name);
	a->count++;
	return rc;
}

static int read_actor(struct litmus_program *p, char *text, struct vbm_error *err)
{
	struct litmus_actor *a = &p->actor[p->actors];
	char *rest = strchr(text, ':'), *item, *name;
	int rc = 0, i;

	if (!rest)
		return vbm_fail(err, EINVAL, "an actor of a litmus program is a name, a colon and instructions, not '%s'", text);
	*rest++ = '\0';
	name = next_word(&text);
	a->pair = name ? place_of(name, "qrst") : -1;
	if (!name || (a->pair < 0 && strcmp(name, "cpu")))
		return vbm_fail(err, EINVAL, "'%s' is no actor of a litmus program; they are q, r, s, t and cpu", name ? name : "");
	for (i = 0; i < p->actors; i++)
		if (p->actor[i].pair == a->pair)
			return vbm_fail(err, EINVAL, "the actor %s is named twice", name);
	while (rc == 0 && (item = strsep(&rest, ","))) {
		if (a->count == LITMUS_INSTRUCTIONS)
			return vbm_fail(err, EINVAL, "the actor %s has more than %d instructions", name, LITMUS_INSTRUCTIONS);
		rc = read_instruction(a, item, err);
	}
	p->actors++;
	return rc;
}

static bool sends(const struct litmus_program *p, int pair)
{
	int i, k;

	for (i = 0; i < p->actors; i++)
		for (k = 0; p->actor[i].pair == pair && k < p->actor[i].count; k++)
			if (p->actor[i].item[k].op == LITMUS_SEND)
				return true;
	return false;
}

/* Registers have one source each, and a message that is waited for is sent. */
static int check_program(struct litmus_program *p, struct vbm_error *err)
{
	const struct litmus_instruction *in;
	int i, k;

	for (i = 0; i < p->actors; i++)
		for (k = 0; k < p->actor[i].count; k++) {
			in = &p->actor[i].item[k];
			if (in->reg >= 0 && p->used[in->reg])
				return vbm_fail(err, EINVAL, "the register %c gets two values", "abcdefgh"[in->reg]);
			if (in->reg >= 0)
				p->used[in->reg] = true;
			p->receives |= in->op == LITMUS_RECEIVE;
			if (in->op == LITMUS_RECEIVE && !sends(p, in->pair))
				return vbm_fail(err, EINVAL, "the queue pair %c sends no message that cpu could receive", "qrst"[in->pair]);
		}
	return 0;
}

int litmus_program_read(struct litmus_program *p, const char *text, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(text);
	char *rest = copy, *actor;
	int rc = 0;

	memset(p, 0, sizeof(*p));
	while (rc == 0 && (actor = strsep(&rest, "|"))) {
		if (p->actors == LITMUS_ACTORS)
			return vbm_fail(err, EINVAL, "a litmus program has at most %d actors", LITMUS_ACTORS);
		rc = read_actor(p, actor, err);
	}
	return rc < 0 ? rc : check_program(p, err);
}

int litmus_outcome_read(struct litmus_outcome *o, const char *text, const struct litmus_program *p, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(text);
	char *rest = copy, *word, *value;
	int rc = 0, reg, at;

	memset(o, 0, sizeof(*o));
	while (rc == 0 && (word = next_word(&rest))) {
		value = strchr(word, '=');
		if (!value || o->terms == LITMUS_TERMS)
			return vbm_fail(err, EINVAL, "an outcome has one to %d terms such as a=1, not '%s'", LITMUS_TERMS, text);
		*value++ = '\0';
		reg = place_of(word, "abcdefgh");
		at = reg >= 0 ? reg : place_of(word, "xyz");
		if (at < 0 || (reg >= 0 && !p->used[reg]))
			return vbm_fail(err, EINVAL, "the program gives '%s' no value", word);
		o->term[o->terms].word = reg < 0;
		o->term[o->terms].at = at;
		rc = read_number(value, &o->term[o->terms++].value, err);
	}
	if (rc == 0 && !o->terms)
		return vbm_fail(err, EINVAL, "an outcome has at least one term, such as a=1");
	return rc;
}

bool litmus_outcome_holds(const struct litmus_outcome *o, const uint64_t *reg, const uint64_t *word)
{
	int i;

	for (i = 0; i < o->terms; i++)
		if ((o->term[i].word ? word : reg)[o->term[i].at] != o->term[i].value)
			return false;
	return true;
}

void histogram_note(struct histogram *h, const char *text)
{
	int i;

	for (i = 0; i < h->count && strcmp(h->text[i], text); i++)
		;
	if (i == HISTOGRAM_OUTCOMES) {
		h->others++;
		return;
	}
	if (i == h->count)
		snprintf(h->text[h->count++], HISTOGRAM_TEXT, "%s", text);
	h->times[i]++;
}

char *histogram_show(const struct histogram *h)
{
	bool shown[HISTOGRAM_OUTCOMES] = {false};
	struct text out = {0};
	int i, most, n;

	for (n = 0; n < h->count; n++) {
		for (most = -1, i = 0; i < h->count; i++)
			if (!shown[i] && (most < 0 || h->times[i] > h->times[most]))
				most = i;
		text_addf(&out, "%s%s: %d", n ? "; " : "", h->text[most], h->times[most]);
		shown[most] = true;
	}
	if (h->others)
		text_addf(&out, "; others: %d", h->others);
	return out.s ? out.s : xstrdup("");
}
