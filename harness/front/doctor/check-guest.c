/* SPDX-License-Identifier: BSD-2-Clause */
/* The lanes that start kernels: guests and user-mode kernels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "doctor/doctor.h"
#include "guest/accel.h"
#include "guest/confine.h"
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

/* The kernels of the store, in words. NULL: none can be chosen, and @finding says so. The caller frees it. */
static char *kernels_text(enum kernel_kind kind, struct kernel *chosen, const char *fix, struct doctor_finding *finding)
{
	auto_kernel_list struct kernel_list all = {0};
	struct text names = {0};
	struct vbm_error err;
	size_t i;

	if (kernel_find(chosen, kind, NULL, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL, fix, "%s", err.msg);
		return NULL;
	}
	kernel_store_list(&all, kind);
	for (i = 0; i < all.count; i++)
		text_addf(&names, "%s%s%s", i ? ", " : "", all.item[i].release,
			  strcmp(all.item[i].release, chosen->release) ? "" : " (the default)");
	return names.s ? names.s : xstrdup(chosen->release);
}

void check_kernels(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_kernel struct kernel chosen = {0};
	auto_free char *names = kernels_text(KERNEL_GUEST, &chosen, "verbatim kernel fetch", finding);

	(void)doctor;
	if (names)
		doctor_found(finding, DOCTOR_OK, NULL, "%s", names);
}

/* Starts a kernel, because that is the only sure test. NULL: it does not run, and @finding says why. */
static struct lane *start_kernel(struct doctor *doctor, enum doctor_lane bit, const struct lane_ops *ops, const char *started,
				 struct doctor_finding *finding)
{
	const struct lane_options opts = {0};
	struct lane *lane = NULL;
	struct vbm_error err;

	if (doctor_may_try(doctor, bit, started, finding) && lane_start(&lane, ops, &opts, &err) < 0)
		doctor_found(finding, DOCTOR_FAIL, NULL, "%s", err.msg);
	return lane;
}

static double seconds_since(int64_t start)
{
	return (double)(clock_now_ns() - start) / 1e9;
}

void check_guest(struct doctor *doctor, struct doctor_finding *finding)
{
	int64_t start = clock_now_ns();
	struct lane *lane = start_kernel(doctor, DOCTOR_GUEST, &lane_guest, "booted", finding);

	if (!lane)
		return;
	snprintf(doctor->accelerator, sizeof(doctor->accelerator), "%s", lane->accelerator);
	doctor_found(finding, DOCTOR_OK, NULL, "kernel %s came up in %.1f s under %s", lane->kernel, seconds_since(start),
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

#define BUILD "verbatim kernel build    # ten minutes of a processor"

void check_uml_kernels(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_kernel struct kernel chosen = {0};
	auto_free char *names = kernels_text(KERNEL_UML, &chosen, BUILD, finding);

	(void)doctor;
	if (names && chosen.virtual_time)
		doctor_found(finding, DOCTOR_OK, NULL, "%s", names);
	else if (names)
		doctor_found(finding, DOCTOR_WARN, BUILD,
			     "%s; the default was built without virtual time, so scenarios "
			     "wait in real time", names);
}

void check_uml(struct doctor *doctor, struct doctor_finding *finding)
{
	int64_t start = clock_now_ns();
	struct lane *lane = start_kernel(doctor, DOCTOR_UML, &lane_uml, "started", finding);

	if (!lane)
		return;
	doctor_found(finding, DOCTOR_OK, NULL, "kernel %s came up in %.2f s", lane->kernel, seconds_since(start));
	lane_stop(lane);
}

/* Reports how the programs of a guest are kept away from the files of this machine. */
void check_confined(struct doctor *doctor, struct doctor_finding *finding)
{
	unsigned int means = confine_means();

	(void)doctor;
	if (!means)
		doctor_found(finding, DOCTOR_WARN, NULL, "%s", confine_warning());
	else if (means & CONFINE_MOUNTS)
		doctor_found(finding, DOCTOR_OK, NULL,
			     "guests cannot reach this machine's files: they have mounts of "
			     "their own%s",
			     means & CONFINE_LANDLOCK ? " and Landlock" : "");
	else
		doctor_found(finding, DOCTOR_WARN, NULL,
			     "only Landlock keeps guests away from this machine's files, "
			     "because user namespaces are not allowed here; in shared "
			     "folders, guests cannot change modes, owners and times");
}

/* Reports the lane that a run without --lane chooses here, and whether another would be faster. */
void check_choice(struct doctor *doctor, struct doctor_finding *finding)
{
	const struct lane_options opts = {0};
	const struct lane_ops *ops;
	struct vbm_error err;

	(void)doctor;
	if (lane_choose("auto", &opts, &ops, &err) < 0)
		doctor_found(finding, DOCTOR_SKIP, NULL,
			     "no lane works yet: see the fixes above");
	else if (ops == &lane_guest && !lane_kvm_may_work())
		doctor_found(finding, DOCTOR_WARN,
			     BUILD,
			     "a run chooses lane guest, with an emulated processor; lane "
			     "uml is faster here");
	else
		doctor_found(finding, DOCTOR_OK, NULL, "a run chooses lane %s", ops->name);
}
