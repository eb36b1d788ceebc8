/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare-fabric.h"

#include "../unit/cmocka_all.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/fabric-priv.h"
#include "folder.h"
#include "lib/base/fail.h"
#include "net/nl.h"

static struct folder journals;

const char *bare_fabrics_obstacle(void)
{
	return geteuid() == 0 && unshare(CLONE_NEWNET) == 0 ? NULL :
	       "making network namespaces needs root";
}

int bare_fabrics_begin(void **state)
{
	struct netlink *nl;

	(void)state;
	folder_make(&journals);
	setenv("VERBATIM_RUNDIR", journals.path, 1);
	if (netlink_open(&nl, -1, NULL) < 0 || netlink_link_up(nl, "lo", NULL) < 0)
		return -1;
	netlink_close(nl);
	return 0;
}

int bare_fabrics_end(void **state)
{
	(void)state;
	folder_remove(&journals);
	return 0;
}

struct fabric *bare_fabric(enum layout layout, int hosts)
{
	struct fabric_options opts = {.layout = layout, .hosts = hosts};
	struct vbm_error err = {0};
	struct fabric *fabric;

	if (fabric_build(&fabric, &opts, false, &err) < 0)
		fail_msg("%s", err.msg);
	return fabric;
}
