/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/modules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fail.h"
#include "base/file.h"
#include "base/strlist.h"

char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *ko = strstr(base, ".ko");
	char *name = ko ? xstrndup(base, (size_t)(ko - base)) : xstrdup(base), *p;

	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

size_t module_unsigned_len(const char *data, size_t len)
{
	static const char mark[] = "~Module signature appended~\n";
	const size_t mark_len = sizeof(mark) - 1, info_len = 12;
	const unsigned char *p;
	size_t size;

	if (len < mark_len + info_len || memcmp(data + len - mark_len, mark, mark_len) != 0)
		return len;
	/* struct module_signature ends with the big-endian size of what is before it */
	p = (const unsigned char *)data + len - mark_len - 4;
	size = (size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	if (size > len - mark_len - info_len)
		return len;
	return len - mark_len - info_len - size;
}

struct dep_line {
	char *name;	/* owned */
	char *path;	/* borrowed from the text */
	char *needs;	/* borrowed: "path path ..." */
};

struct dep_table {
	struct dep_line *line;
	size_t count;
};

static void parse(struct dep_table *t, char *text)
{
	char *line, *colon;

	while ((line = next_line(&text))) {
		colon = strstr(line, ":");
		if (!colon)
			continue;
		*colon = '\0';
		GROW(t->line, t->count);
		t->line[t->count++] = (struct dep_line){
			.name = module_name(line),
			.path = line,
			.needs = colon + 1,
		};
	}
}

static void table_fini(struct dep_table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		free(t->line[i].name);
	free(t->line);
}

/* modules.dep lists the whole closure, what is to be loaded first at the end. */
static void add_needs(struct string_list *out, const char *needs)
{
	size_t end = strlen(needs), begin;

	while (end > 0) {
		if (needs[end - 1] == ' ') {
			end--;
			continue;
		}
		for (begin = end; begin > 0 && needs[begin - 1] != ' '; begin--)
			;
		auto_free char *path = xstrndup(needs + begin, end - begin);

		string_list_add(out, path);
		end = begin;
	}
}

static bool is_builtin(const char *builtin, const char *name)
{
	const char *line = builtin;

	while (line && *line) {
		size_t n = strcspn(line, "\n");
		auto_free char *path = xstrndup(line, n);
		auto_free char *found = module_name(path);

		if (!strcmp(found, name))
			return true;
		line += n + (line[n] == '\n');
	}
	return false;
}

static int add_module(const struct dep_table *t, const char *builtin, const char *wanted,
		      struct string_list *out, struct vbm_error *err)
{
	size_t n = strlen(wanted), i;
	bool optional = n > 0 && wanted[n - 1] == '?';
	auto_free char *name = xstrndup(wanted, n - optional);

	for (i = 0; i < t->count; i++) {
		if (strcmp(t->line[i].name, name) != 0)
			continue;
		add_needs(out, t->line[i].needs);
		string_list_add(out, t->line[i].path);
		return 0;
	}
	if (optional || is_builtin(builtin, name))
		return 0;
	return vbm_fail(err, ENOENT, "it has no module %s", name);
}

int modules_closure(char *dep, const char *builtin, const char *const *names,
		    struct string_list *out, struct vbm_error *err)
{
	struct dep_table t = {0};
	int ret = 0;

	parse(&t, dep);
	for (; !ret && *names; names++)
		ret = add_module(&t, builtin, *names, out, err);
	table_fini(&t);
	return ret;
}
