/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/doctor.h"

#include <stdarg.h>
#include <string.h>

#include "base/xalloc.h"
#include "doctor/checks.h"

/* Later checks may build on what earlier ones found. */
const struct doctor_check doctor_checks[] = {
	{"privileges", DOCTOR_NATIVE, check_root},
	{"rxe", DOCTOR_NATIVE, check_rxe},
	{"fabric", DOCTOR_NATIVE, check_fabric},
	{"devices", DOCTOR_NATIVE, check_devices},
	{"locked memory", DOCTOR_NATIVE, check_memory},
	{"qemu", DOCTOR_GUEST, check_qemu},
	{"kernels", DOCTOR_GUEST, check_kernels},
	{"guest", DOCTOR_GUEST, check_guest},
	{"kvm", DOCTOR_GUEST, check_kvm},
	{"leftovers", DOCTOR_NATIVE, check_leftovers},
	{NULL},
};

void find(struct finding *finding, enum doctor_state state, const char *fix, const char *fmt,
	  ...)
{
	va_list ap;

	finding->state = state;
	snprintf(finding->fix, sizeof(finding->fix), "%s", fix ? fix : "");
	va_start(ap, fmt);
	vsnprintf(finding->text, sizeof(finding->text), fmt, ap);
	va_end(ap);
}

struct finding *doctor_examine(struct doctor *doctor)
{
	size_t count = 0, i;
	struct finding *findings;

	while (doctor_checks[count].name)
		count++;
	findings = xcalloc(count, sizeof(*findings));
	for (i = 0; i < count; i++) {
		doctor_checks[i].look(doctor, &findings[i]);
		if (findings[i].state != DOCTOR_FAIL)
			continue;
		if (doctor_checks[i].lanes & DOCTOR_NATIVE)
			doctor->native_failed = true;
		if (doctor_checks[i].lanes & DOCTOR_GUEST)
			doctor->guest_failed = true;
	}
	return findings;
}

bool doctor_lane_works(const struct doctor_check *checks, const struct finding *findings,
		       enum doctor_lane lane)
{
	size_t i;

	for (i = 0; checks[i].name; i++)
		if (checks[i].lanes & lane && findings[i].state == DOCTOR_FAIL)
			return false;
	return true;
}
