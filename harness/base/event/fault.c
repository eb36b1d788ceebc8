/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"

static bool aborts = VERBATIM_DEBUG;
static bool faulted;

void event_fault(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!faulted)
		visible_complain("internal error: %s", text);
	faulted = true;
	if (aborts)
		abort();
}

bool event_faulted(void)
{
	return faulted;
}

void event_faults_abort(bool yes)
{
	aborts = yes;
	faulted = false;
}
