/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_VALUE_H
#define VBM_BASE_VALUE_H

/*
 * Runs in: every process and each of its threads; no call waits.
 * Owns:    nothing between calls, except the cache folder and standard output (out.c).
 * Ends:    with the call.
 * Tests:   unit/test_value, test_yaml, test_json, test_text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

/*
 * The data model of the harness: the contents of a YAML file, the arguments and results of
 * a step, the members of an event. The YAML and JSON modules convert to and from it, so no
 * other module uses a third-party tree.
 *
 * Unsigned 64-bit quantities (addresses, GUIDs) are stored as the int64_t with the same
 * bits. Trees own their children. Functions never return NULL for lack of memory.
 */
enum value_type {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_STRING,
	VALUE_LIST,
	VALUE_MAP,
	VALUE_EXPR,	/* an expression whose value is not known yet: see plan/expr.h */
};

/* The position of a value in its file. Line 0: it does not come from a file. */
struct pos {
	int line, col;	/* from 1 */
	int file;	/* 0: the scenario itself; else a fragment, see compile/compile.h */
};

struct value_member {
	char *key;		/* owned */
	struct pos pos;		/* of the key */
	struct value *value;	/* owned */
};

struct value {
	enum value_type type;
	struct pos pos;
	bool quoted;	/* the string was quoted in its file */
	char *text;	/* owned; the name in the file, when an int was written as a name */
	union {
		bool b;
		int64_t i;
		char *s;		/* owned; STRING, EXPR */
		struct {
			struct value **item;	/* owned */
			size_t count;
		} list;
		struct {
			struct value_member *member;	/* owned, in order */
			size_t count;
		} map;
	};
};

struct value *value_null(void);
struct value *value_bool(bool b);
struct value *value_int(int64_t i);
struct value *value_string(const char *s);
struct value *value_string_take(char *s);	/* takes @s */
struct value *value_expr_take(char *s);	/* takes @s */
struct value *value_format_string(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
struct value *value_list(void);
struct value *value_map(void);
void value_free(struct value *v);		/* NULL is fine */
struct value *value_dup(const struct value *v);

/* Both take @item. value_set replaces an old value; value_add_at also sets positions. */
void value_append(struct value *list, struct value *item);
void value_set(struct value *map, const char *key, struct value *item);
void value_add_at(struct value *map, const char *key, struct pos pos,
		  struct value *item);
/* Adds copies of the members of the map @more; they replace those of the same name. */
void value_merge(struct value *map, const struct value *more);

/* Shorthands for building maps. */
void value_set_int(struct value *map, const char *key, int64_t i);
void value_set_bool(struct value *map, const char *key, bool b);
void value_set_string(struct value *map, const char *key, const char *s);

/* Borrowed; NULL when @map is not a map or lacks @key. */
struct value *value_get(const struct value *map, const char *key);
struct value_member *value_member(const struct value *map, const char *key);

/* Lenient getters: the fallback when @key is missing or of another type. */
int64_t value_get_int(const struct value *map, const char *key, int64_t fallback);
bool value_get_bool(const struct value *map, const char *key, bool fallback);
const char *value_get_string(const struct value *map, const char *key,
			     const char *fallback);
const char *value_text(const struct value *map, const char *key);	/* the string, or "" */

/* The texts of @list, separated by commas; NULL when it has none. The caller frees. */
char *value_join(const struct value *list);

bool value_equal(const struct value *a, const struct value *b);
const char *value_type_name(enum value_type type);

/* One line for people: 7, "text", [1, 2], {a: 1}. The caller frees it. */
char *value_show(const struct value *v);
void value_show_to(struct text *t, const struct value *v);	/* adds it to @t */

static inline void auto_value_fn(struct value **v)
{
	value_free(*v);
}
#define auto_value __attribute__((cleanup(auto_value_fn)))

#endif
