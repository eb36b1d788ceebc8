/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

/* In a unit test a mistake of the code aborts, whatever the build is for. */
static void __attribute__((constructor)) strict_events(void)
{
	event_faults_abort(true);
}
