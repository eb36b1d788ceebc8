/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "doctor/doctor.h"
#include "guest/accel.h"
#include "guest/kernel.h"
#include "guest/machine.h"
#include "lane/lane.h"

void check_qemu(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_free char *path = NULL;
	struct vbm_error err;

	(void)doctor;
	if (qemu_find(&path, &err) == 0)
		doctor_found(finding, DOCTOR_OK, NULL, "%s", path);
	else
		doctor_found(finding, DOCTOR_FAIL, "sudo apt-get install qemu-system-x86",
			     "%s", err.msg);
}

void check_kernels(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_kernel_list struct kernel_list all = {0};
	auto_kernel struct kernel chosen = {0};
	char names[400] = "";
	struct vbm_error err;
	size_t i, n;

	(void)doctor;
	kernel_store_list(&all, KERNEL_GUEST);
	if (kernel_find(&chosen, KERNEL_GUEST, NULL, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL, "verbatim kernel fetch", "%s",
			     err.msg);
		return;
	}
	for (i = 0; i < all.count; i++) {
		n = strlen(names);
		snprintf(names + n, sizeof(names) - n, "%s%s%s", i ? ", " : "", all.item[i].release,
			 strcmp(all.item[i].release, chosen.release) ? "" : " (the default)");
	}
	doctor_found(finding, DOCTOR_OK, NULL, "%s", names[0] ? names : chosen.release);
}

/* Boots a guest, because that is the only sure test. */
void check_guest(struct doctor *doctor, struct doctor_finding *finding)
{
	const struct lane_options opts = {0};
	int64_t start = clock_now_ns();
	struct lane *lane = NULL;
	struct vbm_error err;

	if (doctor->failed & DOCTOR_GUEST) {
		doctor_found(finding, DOCTOR_SKIP, NULL, "not booted, because a check above failed");
		return;
	}
	if (!doctor->try_out) {
		doctor_found(finding, DOCTOR_SKIP, NULL, "not booted: --no-try");
		return;
	}
	if (lane_start(&lane, &lane_guest, &opts, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL, NULL, "%s", err.msg);
		return;
	}
	snprintf(doctor->accelerator, sizeof(doctor->accelerator), "%s", lane->accelerator);
	doctor_found(finding, DOCTOR_OK, NULL, "kernel %s came up in %.1f s under %s",
		     lane->kernel, (double)(clock_now_ns() - start) / 1e9,
		     lane->accelerator);
	lane_stop(lane);
}

void doctor_judge_kvm(int permitted, const char *why, bool broken, const char *accelerator,
	       struct doctor_finding *finding)
{
	static const char slower[] = "guests run under TCG, several times slower";

	if (permitted == -EACCES)
		doctor_found(finding, DOCTOR_WARN,
			     "sudo usermod -aG kvm $USER    # then log in again",
			     "/dev/kvm exists, but this user may not open it: %s", slower);
	else if (permitted < 0)
		doctor_found(finding, DOCTOR_WARN, NULL, "%s: %s", why, slower);
	else if (!strcmp(accelerator, "kvm"))
		doctor_found(finding, DOCTOR_OK, NULL,
			     "/dev/kvm can be opened, and a guest booted on it");
	else if (broken || accelerator[0])
		doctor_found(finding, DOCTOR_WARN, NULL,
			     "/dev/kvm opens, but guests do not boot on it here "
			     "(nested virtualisation?): %s",
			     slower);
	else
		doctor_found(finding, DOCTOR_SKIP, NULL,
			     "/dev/kvm can be opened; it was not tested, because no "
			     "guest was booted");
}

void check_kvm(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_free char *qemu = NULL, *key = NULL;
	struct vbm_error err = {0};
	int permitted = accel_kvm_check(&err);
	bool broken = false;

	if (qemu_find(&qemu, NULL) == 0) {
		key = accel_key(qemu);
		broken = accel_is_broken(key);
	}
	doctor_judge_kvm(permitted, err.msg, broken, doctor->accelerator, finding);
}
