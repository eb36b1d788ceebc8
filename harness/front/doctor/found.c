/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "doctor/doctor.h"

void doctor_found(struct doctor_finding *finding, enum doctor_state state, const char *fix, const char *fmt,
	  ...)
{
	va_list ap;

	finding->state = state;
	snprintf(finding->fix, sizeof(finding->fix), "%s", fix ? fix : "");
	va_start(ap, fmt);
	vsnprintf(finding->text, sizeof(finding->text), fmt, ap);
	va_end(ap);
}

bool doctor_may_try(const struct doctor *doctor, enum doctor_lane lane, const char *tried, struct doctor_finding *finding)
{
	bool failed = doctor->failed & lane;

	if (failed || !doctor->try_out)
		doctor_found(finding, DOCTOR_SKIP, NULL, "not %s%s", tried, failed ? ", because a check above failed" : ": --no-try");
	return !failed && doctor->try_out;
}
