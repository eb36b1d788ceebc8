/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/show.h"

#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"

const char *matrix_shown_fact(const struct cell_result *c, const char *member)
{
	return c->state == CELL_RAN ? value_get_string(c->run.summary, member, "") : "";
}

const char *matrix_shown_reason(const struct shown_matrix *s, const struct difference *d, size_t at, size_t variant)
{
	const struct stored_variant *v = stored_find(&s->results->cell[d->at[at].cell].run, d->variant[variant]);

	return v ? v->reason : "";
}

char *matrix_shown_cells(const struct results *r)
{
	struct text t = {0};
	size_t i, n;

	text_addf(&t, "%zu cell%s: ", r->matrix->cells, r->matrix->cells == 1 ? "" : "s");
	for (i = CELL_STATES; i-- > 0;) {
		/* Cells that ran come first, then the others from the worst on. */
		size_t state = i == CELL_STATES - 1 ? CELL_RAN : i == CELL_RAN ? CELL_STATES - 1 : i;

		n = results_count(r, (enum cell_state)state);
		if (n)
			text_addf(&t, "%s%zu %s", t.s[t.len - 2] == ':' ? "" : ", ", n, cell_state_names[state]);
	}
	return t.s;
}

char *matrix_shown_differences(const struct differences *d)
{
	return xasprintf("%zu of %zu variants differ between cells", d->variants, d->all);
}
