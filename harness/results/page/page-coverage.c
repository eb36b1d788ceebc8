/* SPDX-License-Identifier: BSD-2-Clause */
/* Measurements beside the run, as two scripts of the source tree print them. */
#include "page/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "base/value.h"

/* "ok 3 - NAME: what is broken": the length of the name, which begins at *@name; 0: it is another line. */
static size_t name_of(const char *line, const char **name)
{
	const char *dash = strstr(line, " - ");

	if (!dash || (strncmp(line, "ok ", 3) != 0 && strncmp(line, "not ok ", 7) != 0))
		return 0;
	*name = dash + 3;
	return strcspn(*name, ":");
}

struct value *page_mutants_tried(char *tap)
{
	struct value *tried = value_map();
	const char *name;
	char *line;
	size_t len;

	while ((line = file_next_line(&tap))) {
		len = name_of(line, &name);
		if (len == 0)
			continue;
		line[name - line + (ptrdiff_t)len] = '\0';
		value_set_bool(tried, name, line[0] == 'o');
	}
	return tried;
}

/* The cells of "| a | b | c |". */
static struct value *cells_of(char *line)
{
	struct value *cells = value_list();
	char *cell;
	size_t end;

	line++;
	while ((cell = strsep(&line, "|")) && line) {
		cell += strspn(cell, " ");
		for (end = strlen(cell); end > 0 && cell[end - 1] == ' '; end--)
			cell[end - 1] = '\0';
		value_append(cells, value_string(cell));
	}
	return cells;
}

static void take_row(struct value *rows, const char *area, char *line)
{
	struct value *cells = cells_of(line), *row;
	size_t i;

	if (cells->list.count == 3 && strstr(cells->list.item[1]->s, " of ")) {
		row = value_list();
		value_append(row, value_string(area));
		for (i = 0; i < cells->list.count; i++)
			value_append(row, value_dup(cells->list.item[i]));
		value_append(rows, row);
	}
	value_free(cells);
}

struct value *page_code_rows(char *markdown)
{
	struct value *rows = value_list();
	const char *area = "";
	char *line;

	while ((line = file_next_line(&markdown))) {
		if (strncmp(line, "## ", 3) == 0)
			area = line + 3;
		else if (*line == '|')
			take_row(rows, area, line);
	}
	return rows;
}
