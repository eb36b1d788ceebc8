/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_NOT_BEGUN_H
#define VBM_EXECUTE_NOT_BEGUN_H

#include "plan/plan.h"

/*
 * The wait of item @waited of a group ran out, and the items @from to @to - 1 of @v came
 * after it. Item @from has the same actor; the wait may have needed the steps of other
 * actors. Returns a text that names these steps and begins with "; ", which the caller
 * frees; NULL if other actors have no step among them.
 */
char *not_begun_say(const struct variant *v, size_t waited, size_t from, size_t to);

#endif
