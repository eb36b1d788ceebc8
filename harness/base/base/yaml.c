/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "base/diag.h"
#include "base/text.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;	/* the present event */
	struct diagnostics *diag;
	const char *text;
	int depth;
};

static struct pos at(yaml_mark_t mark)
{
	return (struct pos){.line = (int)mark.line + 1, .col = (int)mark.column + 1};
}

static struct pos at_offset(const char *text, size_t offset)
{
	struct pos pos = {.line = 1, .col = 1};
	size_t i;

	for (i = 0; i < offset; i++) {
		if (text[i] == '\n')
			pos = (struct pos){.line = pos.line + 1, .col = 1};
		else if ((text[i] & 0xc0) != 0x80)
			pos.col++;
	}
	return pos;
}

static void syntax_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	if (p->error == YAML_READER_ERROR) {
		diag_add(r->diag, at_offset(r->text, p->problem_offset), NULL,
			 "not a text file in UTF-8: %s", p->problem);
		return;
	}
	diag_add(r->diag, at(p->problem_mark), NULL, "not valid YAML: %s%s%s",
		 p->problem ? p->problem : "it cannot be read", p->context ? " " : "",
		 p->context ? p->context : "");
}

static bool parse_event(struct reader *r)
{
	yaml_event_delete(&r->event);
	memset(&r->event, 0, sizeof(r->event));
	if (yaml_parser_parse(&r->parser, &r->event))
		return true;
	syntax_error(r);
	return false;
}

static bool is_decimal(const char *s)
{
	s += *s == '-';
	if (*s == '0')
		return s[1] == '\0';
	return *s && strspn(s, "0123456789") == strlen(s);
}

static bool is_hex(const char *s)
{
	s += *s == '-';
	return s[0] == '0' && s[1] == 'x' && s[2] &&
	       strspn(s + 2, "0123456789abcdefABCDEF") == strlen(s + 2);
}

/* An integer that does not fit into the signed type becomes the int64_t with the same 64 bits. */
static struct value *integer(struct reader *r, const char *s)
{
	bool hex = is_hex(s);
	auto_free char *plain = NULL;
	struct value *v;
	int64_t i;

	errno = 0;
	if (*s != '-')
		i = (int64_t)strtoull(s, NULL, hex ? 16 : 10);
	else
		i = strtoll(s, NULL, hex ? 16 : 10);
	if (errno) {
		diag_add(r->diag, at(r->event.start_mark),
			 xstrdup("quote it if it is meant as text"),
			 "the integer does not fit in 64 bits");
		return NULL;
	}
	v = value_int(i);
	plain = xasprintf("%" PRId64, i);
	if (strcmp(plain, s) != 0)
		v->text = xstrdup(s);
	return v;
}

static struct value *plain_scalar(struct reader *r, const char *s)
{
	if (!*s || !strcmp(s, "~") || !strcmp(s, "null"))
		return value_null();
	if (!strcmp(s, "true") || !strcmp(s, "false"))
		return value_bool(*s == 't');
	if (is_decimal(s) || is_hex(s))
		return integer(r, s);
	return value_string(s);
}

static bool scalar_is_text(struct reader *r)
{
	const char *s = (const char *)r->event.data.scalar.value;

	if (strlen(s) == r->event.data.scalar.length)
		return true;
	diag_add(r->diag, at(r->event.start_mark), NULL, "a string cannot hold a zero byte");
	return false;
}

static struct value *scalar(struct reader *r)
{
	const char *s = (const char *)r->event.data.scalar.value;
	struct value *v;

	if (!scalar_is_text(r))
		return NULL;
	if (r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return plain_scalar(r, s);
	v = value_string(s);
	v->quoted = true;
	return v;
}

/* With these features of YAML the meaning of a file is not visible in its lines. */
static bool is_simple(struct reader *r)
{
	const yaml_event_t *e = &r->event;
	const void *anchor = NULL, *tag = NULL;

	if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
	}
	if (e->type == YAML_ALIAS_EVENT)
		diag_add(r->diag, at(e->start_mark), xstrdup("quote a string that begins with *"),
			 "aliases are not part of the scenario language");
	else if (anchor)
		diag_add(r->diag, at(e->start_mark), xstrdup("quote a string that begins with &"),
			 "anchors are not part of the scenario language");
	else if (tag)
		diag_add(r->diag, at(e->start_mark), xstrdup("quote a string that begins with !"),
			 "tags are not part of the scenario language");
	return e->type != YAML_ALIAS_EVENT && !anchor && !tag;
}

static struct value *node(struct reader *r);

static bool list_item(struct reader *r, struct value *list)
{
	struct value *item;

	if (list->list.count >= YAML_LIST_MAX) {
		diag_add(r->diag, at(r->event.start_mark), NULL,
			 "a list of more than %d items", YAML_LIST_MAX);
		return false;
	}
	item = node(r);
	if (!item)
		return false;
	value_append(list, item);
	return true;
}

static struct value *read_list(struct reader *r)
{
	auto_value struct value *v = value_list();

	for (;;) {
		if (!parse_event(r))
			return NULL;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return steal(&v);
		if (!list_item(r, v))
			return NULL;
	}
}

static bool map_key(struct reader *r, char **key)
{
	if (!is_simple(r))
		return false;
	if (r->event.type != YAML_SCALAR_EVENT) {
		diag_add(r->diag, at(r->event.start_mark), NULL, "a key must be a word");
		return false;
	}
	if (!scalar_is_text(r))
		return false;
	*key = xstrdup((const char *)r->event.data.scalar.value);
	return true;
}

/* A duplicate key is an error, and the rest is read nevertheless. */
static bool map_member(struct reader *r, struct value *map)
{
	auto_free char *key = NULL;
	auto_value struct value *v = NULL;
	const struct value_member *first;
	struct pos pos = at(r->event.start_mark);

	if (map->map.count >= YAML_MAP_MAX) {
		diag_add(r->diag, pos, NULL, "a map of more than %d keys", YAML_MAP_MAX);
		return false;
	}
	if (!map_key(r, &key) || !parse_event(r))
		return false;
	v = node(r);
	if (!v)
		return false;
	first = value_member(map, key);
	if (first)
		diag_add(r->diag, pos, xasprintf("first at line %d", first->pos.line),
			 "the key '%s' is there twice", key);
	else
		value_add_at(map, key, pos, steal(&v));
	return true;
}

static struct value *map(struct reader *r)
{
	auto_value struct value *v = value_map();

	for (;;) {
		if (!parse_event(r))
			return NULL;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return steal(&v);
		if (!map_member(r, v))
			return NULL;
	}
}

/* Read the value that begins with the present event, up to its last event. */
static struct value *node(struct reader *r)
{
	struct pos pos = at(r->event.start_mark);
	struct value *v = NULL;

	if (!is_simple(r))
		return NULL;
	if (r->depth >= YAML_DEPTH_MAX) {
		diag_add(r->diag, pos, NULL, "nested more than %d levels deep", YAML_DEPTH_MAX);
		return NULL;
	}
	r->depth++;
	if (r->event.type == YAML_SCALAR_EVENT)
		v = scalar(r);
	else if (r->event.type == YAML_SEQUENCE_START_EVENT)
		v = read_list(r);
	else if (r->event.type == YAML_MAPPING_START_EVENT)
		v = map(r);
	r->depth--;
	if (v)
		v->pos = pos;
	return v;
}

static bool document_start(struct reader *r)
{
	if (!parse_event(r) || !parse_event(r))	/* the start of the stream, and of the document */
		return false;
	if (r->event.type != YAML_DOCUMENT_START_EVENT) {
		diag_add(r->diag, (struct pos){1, 1}, NULL, "the file is empty");
		return false;
	}
	if (r->event.data.document_start.version_directive ||
	    r->event.data.document_start.tag_directives.start !=
		    r->event.data.document_start.tag_directives.end) {
		diag_add(r->diag, at(r->event.start_mark), NULL,
			 "directives are not part of the scenario language");
		return false;
	}
	return parse_event(r);
}

static bool document_end(struct reader *r)
{
	if (!parse_event(r) || !parse_event(r))	/* the end of the document, and of the stream */
		return false;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return true;
	diag_add(r->diag, at(r->event.start_mark), xstrdup("one file, one scenario"),
		 "a second document begins here");
	return false;
}

static bool text_is_acceptable(const char *text, size_t len, struct diagnostics *diag)
{
	const char *tab;

	if (len > YAML_SIZE_MAX) {
		diag_add(diag, (struct pos){1, 1}, NULL, "the file is larger than %d bytes",
			 YAML_SIZE_MAX);
		return false;
	}
	tab = len ? memchr(text, '\t', len) : NULL;
	if (!tab)
		return true;
	diag_add(diag, at_offset(text, (size_t)(tab - text)),
		 xstrdup("indent with spaces; in a quoted string write \\t"),
		 "a tab character");
	return false;
}

struct value *yaml_read(const char *text, size_t len, struct diagnostics *diag)
{
	size_t errors = diag->count, mark = text_mark(text, len);
	struct reader r = {.diag = diag, .text = text + mark};
	struct value *v = NULL;

	text += mark;
	len -= mark;
	if (!text_is_acceptable(text, len, diag))
		return NULL;
	if (!yaml_parser_initialize(&r.parser)) {
		diag_add(diag, (struct pos){1, 1}, NULL, "out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	if (document_start(&r)) {
		v = node(&r);
		if (v)
			document_end(&r);
	}
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	if (diag->count == errors)
		return v;
	value_free(v);
	return NULL;
}
