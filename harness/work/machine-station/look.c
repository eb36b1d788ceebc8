/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/utsname.h>

#include "base/value.h"
#include "machines/found.h"
#include "names/rdma-core.h"
#include "machine-station/station-priv.h"

static void put_machine(struct value *answer)
{
	struct utsname u;

	uname(&u);
	value_set_string(answer, "nodename", u.nodename);
	value_set_string(answer, "kernel", u.release);
	value_set_string(answer, "rdma_core", rdma_core_version());
}

/* The question "find" would find this. */
static void put_found(const struct found_options *opts, struct value *answer)
{
	struct fabric *fabric = NULL;
	struct value *said = NULL;
	struct vbm_error err = {0};

	if (found_fabric(&fabric, opts, &err) < 0 || found_describe(fabric, &said, &err) < 0)
		value_set_string(answer, "error", err.msg);
	else
		value_set(answer, "used", said);
	fabric_free(fabric);
}

int station_look(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct found_options opts = {.wanted = value_get(q, "machine"), .host = (int)value_get_int(q, "host", 0)};
	struct value *left = value_list(), *plan = value_list(), *devices = NULL;
	struct vbm_error none;

	(void)s;
	put_machine(answer);
	value_set(answer, "left", left);
	value_set(answer, "plan", plan);
	fabric_sweep(true, station_note_line, left, &none);
	put_found(&opts, answer);
	/* If the interface is not there, the error of put_found() says so already. */
	found_plan(&opts, station_note_line, plan, &none);
	if (found_all(&devices, true, err) < 0)
		return -err->code;
	value_set(answer, "devices", devices);
	return 0;
}
