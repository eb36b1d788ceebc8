/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_WHOLE_EVENT_H
#define VBM_TESTS_WHOLE_EVENT_H

struct value;

/*
 * Give @event the members of its kind that it has not and needs: 0, "", false, a verdict.
 * So a test says only what it is about, and the code may read whatever the table allows.
 */
void make_whole(struct value *event);

#endif
