/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/show.h"

#include "base/choice.h"

const struct matrix_format matrix_formats[] = {
	{"text", matrix_show_text},
	{"json", matrix_show_json},
	{"md", matrix_show_md},
	{"html", matrix_show_html},
	{0},
};

const struct matrix_format *matrix_format_find(const char *name)
{
	const struct matrix_format *f = &matrix_formats[choice_find(matrix_format_name, name)];

	return f->name ? f : NULL;
}

const char *matrix_format_name(size_t i)
{
	return matrix_formats[i].name;
}
