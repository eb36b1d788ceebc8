/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_MEMBERS_H
#define VBM_EVENT_MEMBERS_H

#include "event/kinds.h"

/* The words of the tables in kinds.c and sent.c. */
#define INTEGER(name) {name, EVENT_INTEGER}
#define STRING(name) {name, EVENT_STRING}
#define STRING_OR_NULL(name) {name, EVENT_STRING_OR_NULL}
#define FLAG(name) {name, EVENT_FLAG}
#define STRINGS(name) {name, EVENT_STRINGS}
#define NUMBERS(name) {name, EVENT_NUMBERS}
#define OPTIONAL(name, type) {name, EVENT_##type, true}

#endif
