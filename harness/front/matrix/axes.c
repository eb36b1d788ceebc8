/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "names/host.h"
#include "names/targets.h"

static int check_choice(const char *what, choice_name *names, const char *text, struct vbm_error *err)
{
	auto_free char *all = NULL;

	if (choice_has(names, text))
		return 0;
	all = choice_text(names, "");
	return vbm_fail(err, EINVAL, "no %s is called '%s': %s", what, text, all);
}

static int check_kernel(const char *text, struct vbm_error *err)
{
	if (!strcmp(text, "running"))
		return vbm_fail(err, EINVAL, "the running kernel is that of lane native: say 'kernel: default' and 'lane: native'");
	return 0;
}

static int check_rdma_core(const char *text, struct vbm_error *err)
{
	if (!strcmp(text, "system") || strchr(text, '/') ||
	    (isdigit((unsigned char)*text) && strspn(text, "0123456789.") == strlen(text)))
		return 0;
	return vbm_fail(err, EINVAL, "an rdma-core is 'system', a version such as 56 or 56.1, or the path of a "
			"build with a slash in it, not '%s'", text);
}

static int check_layout(const char *text, struct vbm_error *err)
{
	return check_choice("layout", layout_nth, text, err);
}

static int check_lane(const char *text, struct vbm_error *err)
{
	return check_choice("lane", lane_name, text, err);
}

static int check_device(const char *text, struct vbm_error *err)
{
	return check_choice("device", device_type_name, text, err);
}

static int check_target(const char *text, struct vbm_error *err)
{
	auto_free char *all = NULL;

	if (choice_has(target_name, text) || strchr(text, '/'))
		return 0;
	all = choice_text(target_name, ", or the path of a shared object with a slash in it");
	return vbm_fail(err, EINVAL, "no target is called '%s': %s", text, all);
}

const struct axis_kind matrix_axes[AXES] = {
	[AXIS_KERNEL] = {"kernel", "default", "--kernel", check_kernel},
	[AXIS_RDMA_CORE] = {"rdma-core", "system", NULL, check_rdma_core},
	[AXIS_LAYOUT] = {"layout", "auto", "--layout", check_layout},
	[AXIS_LANE] = {"lane", "auto", "--lane", check_lane},
	[AXIS_DEVICE] = {"device", "rxe", "--device", check_device},
	[AXIS_TARGET] = {"target", "system", NULL, check_target},
};

enum matrix_axis matrix_axis_find(const char *name)
{
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (!strcmp(name, matrix_axes[i].name))
			break;
	return i;
}

bool matrix_axis_given(const struct matrix *m, enum matrix_axis axis)
{
	return m->axis[axis].count > 0 && m->axis[axis].value[0].pos.line > 0;
}

const char *matrix_value(const struct matrix *m, const struct matrix_cell *cell, enum matrix_axis axis)
{
	return m->axis[axis].value[cell->at[axis]].text;
}
