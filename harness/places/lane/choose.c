/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/lane.h"

#include <errno.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "guest/accel.h"
#include "guest/machine.h"
#include "lane/kernel-words.h"
#include "lib/base/fail.h"

/* The choice of the lane for a run. */

static const struct lane_ops *const table[] = {&lane_native, &lane_guest, &lane_uml};

bool lane_kvm_may_work(void)
{
	auto_free char *qemu = NULL, *key = NULL;

	if (accel_kvm_check(NULL) < 0 || qemu_find(&qemu, NULL) < 0)
		return false;
	key = accel_key(qemu);
	return !accel_is_broken(key);
}

static int choose_auto(const struct lane_options *opts, const struct lane_ops **ops,
		       struct vbm_error *err)
{
	struct vbm_error other;

	/* A kernel that was named is not this machine's. */
	if (!opts->kernel && lane_native.check(opts, &other) == 0)
		*ops = &lane_native;
	else if (lane_kvm_may_work() && lane_guest.check(opts, &other) == 0)
		*ops = &lane_guest;
	else if (lane_uml.check(opts, &other) == 0)
		*ops = &lane_uml;
	else
		*ops = &lane_guest;
	return (*ops)->check(opts, err);
}

const char *lane_name(size_t i)
{
	if (i == 0)
		return "auto";
	return i <= ARRAY_SIZE(table) ? table[i - 1]->name : NULL;
}

bool lane_boots(const char *name, enum kernel_kind kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i]->boots >> kind & 1 && (!strcmp(name, "auto") || !strcmp(name, table[i]->name)))
			return true;
	return false;
}

/* Each host has a kernel of its own. */
static int choose_kernels(const char *name, const struct lane_options *opts, const struct lane_ops **ops,
			  struct vbm_error *err)
{
	if (strcmp(name, "auto") != 0 && strcmp(name, lane_kernels.name) != 0)
		return vbm_fail(err, EINVAL, "hosts with their own kernels need --lane uml, not --lane %s", name);
	*ops = &lane_kernels;
	return lane_kernels.check(opts, err);
}

static const struct lane_ops *lane_called(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(table[i]->name, name) == 0)
			return table[i];
	return NULL;
}

int lane_check_name(const char *name, struct vbm_error *err)
{
	auto_free char *names = NULL;

	if (strcmp(name, "auto") == 0 || lane_called(name))
		return 0;
	names = choice_text(lane_name, "");
	return vbm_fail(err, EINVAL, "no lane is called '%s': %s", name, names);
}

int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err)
{
	if (opts->machines)
		name = lane_native.name;
	if (opts->kernels)
		return choose_kernels(name, opts, ops, err);
	if (opts->kernel && kernel_words_are(opts->kernel))
		return vbm_fail(err, EINVAL, "--kernel %s gives each host its own kernel, which only verbatim run can do",
				opts->kernel);
	if (lane_check_name(name, err) < 0)
		return -err->code;
	*ops = lane_called(name);
	return *ops ? (*ops)->check(opts, err) : choose_auto(opts, ops, err);
}
