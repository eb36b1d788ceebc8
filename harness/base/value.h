/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_VALUE_H
#define VBM_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The one data model of the harness: what a YAML file holds, what a step takes
 * and returns, what an event carries. The YAML and JSON modules convert to and
 * from it, so no other module sees a third-party tree.
 *
 * 64-bit unsigned quantities (addresses, GUIDs) are kept as their int64_t bit
 * pattern. Trees own their children. Functions never return NULL for lack of
 * memory.
 */
enum value_type {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_STRING,
	VALUE_LIST,
	VALUE_MAP,
	VALUE_EXPR,	/* an expression that is not known yet: see plan/expr.h */
};

/* Where a value was written; line 0 when it was not read from a file. */
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
	bool quoted;	/* a string that was quoted in its file */
	char *text;	/* owned; as written, when an int came from a name */
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

/* Both take @item. value_set replaces; value_add_at keeps positions. */
void value_append(struct value *list, struct value *item);
void value_set(struct value *map, const char *key, struct value *item);
void value_add_at(struct value *map, const char *key, struct pos pos,
		  struct value *item);

/* Shorthands for records. */
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

/* The texts of @list with commas between; NULL when there are none. The caller frees. */
char *value_join(const struct value *list);

bool value_equal(const struct value *a, const struct value *b);
const char *value_type_name(enum value_type type);

/* One line for people: 7, "text", [1, 2], {a: 1}. The caller frees it. */
char *value_show(const struct value *v);

static inline void auto_value_fn(struct value **v)
{
	value_free(*v);
}
#define auto_value __attribute__((cleanup(auto_value_fn)))

#endif
