/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_NAMES_H
#define VBM_COMPILE_NAMES_H

#include <verbatim/error.h>

#include "base/critic.h"
#include "base/value.h"

/*
 * What a scenario says of names: "dns:" for the name server, "hosts:",
 * "services:" and "resolv:" for files that its hosts see instead of the
 * machine's, "acm:" for the path service they find. Pure.
 */
enum names_key {
	NAMES_DNS,
	NAMES_HOSTS,
	NAMES_SERVICES,
	NAMES_RESOLV,
	NAMES_ACM,
	NAMES_COUNT,
};

extern const char *const names_keys[NAMES_COUNT];

/*
 * The content of a host's files, owned by the caller, from values without
 * references. @hosts, @services and @resolv can be NULL. -EINVAL when a
 * reference stood for something that does not fit.
 */
int names_hosts_file(const struct value *hosts, const char *host, char **out,
		     struct vbm_error *err);
int names_services_file(const struct value *services, char **out, struct vbm_error *err);

/* @server: the name server's address, or NULL for none. */
int names_resolv_file(const struct value *resolv, const char *server, char **out,
		      struct vbm_error *err);

/* What nsswitch.conf says where the files above are. */
extern const char names_nsswitch[];

/* For the compiler; @hosts of the fabric. */
bool names_check_hosts(const struct value *v, int hosts, struct critic *critic);
bool names_check_services(const struct value *v, struct critic *critic);
bool names_check_resolv(const struct value *v, struct critic *critic);

/* Options of resolv.conf(5) that "resolv:" takes. */
struct names_option {
	const char *name;
	int min, max, fallback;
	const char *doc;
};

extern const struct names_option names_options[];	/* ends with a NULL name */

#endif
