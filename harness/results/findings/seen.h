/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_SEEN_H
#define VBM_FINDINGS_SEEN_H

#include <verbatim/error.h>

struct value;

/*
 * In which cells of a matrix each finding was seen: the file that "verbatim matrix --record"
 * writes, findings/matrix.jsonl of a suite. Each line is a cell ("cell", its number from 1,
 * "kernel", "rdma_core" and so on) or a finding ("finding", and the numbers of the cells
 * that have it, "in", and do not, "not_in"; all other cells could not tell).
 */
#define FINDINGS_SEEN_FILE "matrix.jsonl"

/* NULL: the suite at @dir has no such file, or it is not valid; then @err has "FILE:LINE: why". */
struct value *findings_seen_load(const char *dir, struct vbm_error *err);

/*
 * Gives each finding of @list that the matrix could tell about the text "seen": "on kernel
 * 6.1, 6.12; not on 7.3".
 */
void findings_seen_add(const struct value *seen, struct value *list);

#endif
