/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_NOT_BEGUN_H
#define VBM_EXECUTE_NOT_BEGUN_H

#include "plan/plan.h"

/*
 * Item @waited of a group waited in vain while the items @from to @to - 1 of
 * @v stood behind it: the first is of the same actor, and those of others may
 * be what it waited for. The sentence that says so begins with "; "; owned.
 * NULL when no other actor had a step among them.
 */
char *not_begun_say(const struct variant *v, size_t waited, size_t from, size_t to);

#endif
