/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_SCENARIOS_H
#define VBM_MATRIX_SCENARIOS_H

#include "base/strlist.h"
#include "matrix/matrix.h"

/*
 * Finds the scenarios of "run:". A path counts from the folder of @file, the matrix's own
 * file; what is no path there is a name, as for verbatim run. @args gets the arguments of
 * the runs. Each entry that names nothing is a diagnostic, and so is a file that is not valid,
 * whose own errors @lines gets. Returns what the files are (a map of their ids and checksums),
 * for the caller to free.
 */
struct text;
struct value *matrix_find_scenarios(const struct matrix *m, const char *file, struct string_list *args,
				    struct diagnostics *diag, struct text *lines);

#endif
