/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_WHOLE_EVENT_H
#define VBM_TESTS_WHOLE_EVENT_H

struct value;

/*
 * Add the members that @event lacks and its kind needs: 0, "", false, a verdict. So a test
 * names only the members that matter to it, and the code may read all that the table allows.
 */
void make_whole(struct value *event);

#endif
