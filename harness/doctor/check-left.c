/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/checks.h"
#include "fabric/fabric.h"

void check_leftovers(struct doctor *doctor, struct finding *finding)
{
	struct vbm_error err;
	int count;

	(void)doctor;
	count = fabric_sweep(true, NULL, NULL, &err);
	if (count < 0)
		find(finding, DOCTOR_SKIP, NULL, "cannot look for them: %.400s", err.msg);
	else if (count > 0)
		find(finding, DOCTOR_WARN, "sudo verbatim doctor --sweep",
		     "killed runs left %d thing%s behind; the next run removes them, too", count,
		     count == 1 ? "" : "s");
	else
		find(finding, DOCTOR_OK, NULL, "no killed run left anything behind");
}
