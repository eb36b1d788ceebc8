/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "doctor/doctor.h"
#include "guest/confine.h"
#include "guest/kernel.h"
#include "lane/lane.h"

#define BUILD "verbatim kernel build    # ten minutes of a processor"

void check_uml_kernels(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_kernel_list struct kernel_list all = {0};
	auto_kernel struct kernel chosen = {0};
	auto_text struct text names = {0};
	struct vbm_error err;
	size_t i;

	(void)doctor;
	if (kernel_find(&chosen, KERNEL_UML, NULL, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL,
			     BUILD,
			     "%s", err.msg);
		return;
	}
	kernel_store_list(&all, KERNEL_UML);
	for (i = 0; i < all.count; i++)
		text_addf(&names, "%s%s%s", i ? ", " : "", all.item[i].release,
			  strcmp(all.item[i].release, chosen.release) ? "" : " (the default)");
	if (chosen.virtual_time)
		doctor_found(finding, DOCTOR_OK, NULL, "%s", names.s);
	else
		doctor_found(finding, DOCTOR_WARN, BUILD,
			     "%s; the default was built without virtual time, so scenarios "
			     "wait in real time", names.s);
}

/* Starts a kernel, because that is the only sure test. */
void check_uml(struct doctor *doctor, struct doctor_finding *finding)
{
	const struct lane_options opts = {0};
	int64_t start = clock_now_ns();
	struct lane *lane = NULL;
	struct vbm_error err;

	if (doctor->failed & DOCTOR_UML) {
		doctor_found(finding, DOCTOR_SKIP, NULL, "not started, because a check above failed");
		return;
	}
	if (!doctor->try_out) {
		doctor_found(finding, DOCTOR_SKIP, NULL, "not started: --no-try");
		return;
	}
	if (lane_start(&lane, &lane_uml, &opts, &err) < 0) {
		doctor_found(finding, DOCTOR_FAIL, NULL, "%s", err.msg);
		return;
	}
	doctor_found(finding, DOCTOR_OK, NULL, "kernel %s came up in %.2f s",
		     lane->kernel, (double)(clock_now_ns() - start) / 1e9);
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
