/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_FAULT_H
#define VBM_EVENT_FAULT_H

#include <stdbool.h>

/*
 * A mistake in this program: its code reads or makes an event in a way that the table of
 * kinds (kinds.h) does not allow. A build for development (configure --enable-debug)
 * aborts. Any other build prints the first mistake, and its exit status is never 0.
 */
void event_fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool event_faulted(void);

/* For tests: whether a mistake aborts, whatever the build is for. Forgets earlier ones. */
void event_faults_abort(bool yes);

#endif
