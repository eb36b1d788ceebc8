/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_STRLIST_H
#define VBM_BASE_STRLIST_H

#include <stddef.h>

/* A list of strings, in the order in which they were added. */
struct string_list {
	char **item;	/* owned */
	size_t count;
};

void string_list_add(struct string_list *l, const char *s);	/* unless it is in the list */
void string_list_fini(struct string_list *l);

static inline void auto_string_list_fn(struct string_list *l)
{
	string_list_fini(l);
}
#define auto_string_list __attribute__((cleanup(auto_string_list_fn)))

#endif
