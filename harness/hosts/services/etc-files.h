/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_ETC_FILES_H
#define VBM_SERVICES_ETC_FILES_H

#include <verbatim/error.h>

#include "base/diag.h"
#include "base/value.h"

/*
 * The text of a host's files in /etc, which the caller owns. The values have no references
 * any more. @hosts, @services and @resolv may be NULL. -EINVAL when the value of a
 * reference does not fit. Pure.
 */
int etc_hosts(const struct value *hosts, const char *host, char **out, struct vbm_error *err);
int etc_services(const struct value *services, char **out, struct vbm_error *err);

/* @server: the address of the name server; NULL: no server. */
int etc_resolv(const struct value *resolv, const char *server, char **out,
	       struct vbm_error *err);

/* The nsswitch.conf for these files. */
extern const char etc_nsswitch[];

/* Check a value that may have references; @hosts is the number of hosts in the fabric. */
void etc_check_hosts(const struct value *v, int hosts, struct diagnostics *diag);
void etc_check_services(const struct value *v, int hosts, struct diagnostics *diag);
void etc_check_resolv(const struct value *v, int hosts, struct diagnostics *diag);

/* An option of resolv.conf(5) that "resolv:" takes. */
struct resolv_option {
	const char *name;
	int min, max, fallback;
	const char *doc;
};

extern const struct resolv_option resolv_options[];	/* ends with a NULL name */

#endif
