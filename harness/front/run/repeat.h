/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_REPEAT_H
#define VBM_RUN_REPEAT_H

#include <stdio.h>

#include "event/event.h"
#include "run/selection.h"

/*
 * --repeat: the selection is run several times. The first time a variant has its own name,
 * then NAME#2, NAME#3 and so on, so that each name is there once.
 */
#define REPEAT_MAX 1000

/* Adds the variants of @sel again, so that each is there @times times: one round after the other. */
void repeat_add(struct selection *sel, int times);

/* @name without "#2". The caller frees it. */
char *repeat_plain(const char *name);

/* The name of repetition @time of @name; its own for 1. The caller frees it. */
char *repeat_name(const char *name, int time);

/*
 * Says, a line each, which of the first @count variants had different verdicts: "NAME: PASS 4
 * times, FAIL once (#3)". @verdict has that of each variant of @sel, or VERDICT_COUNT for none.
 */
void repeat_tell(const struct selection *sel, const enum verdict *verdict, int times, FILE *out);

#endif
