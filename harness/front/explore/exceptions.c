/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/exceptions.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/suite.h"
#include "model/rules.h"

unsigned exceptions_that_hold(unsigned wanted, const struct findings *list, const struct facts *facts)
{
	unsigned left = 0;
	size_t i;
	int e;

	for (e = 0; e < EXCEPT_COUNT; e++)
		for (i = 0; i < list->count; i++)
			if (wanted & 1u << e && !strcmp(list->item[i].name, model_exception_name((enum model_exception)e)) &&
			    finding_holds(&list->item[i], facts))
				left |= 1u << e;
	return left;
}

int exceptions_settle(unsigned *exceptions, const struct facts *facts, struct vbm_error *err)
{
	auto_free char *root = NULL, *dir = NULL;
	struct findings list = {.count = 0};
	int rc = suite_shipped(&root, err);

	if (rc < 0)
		return rc;
	dir = xasprintf("%s/" SUITE_FINDINGS, root);
	rc = findings_load(&list, dir, err);
	if (rc == 0)
		*exceptions = exceptions_that_hold(*exceptions, &list, facts);
	findings_fini(&list);
	return rc;
}
