/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_QPS_H
#define VBM_COMPILE_QPS_H

/* What an entry of "qps:" can say; for the man page and the schema too. */
struct qps_key {
	const char *name;
	const char *fallback;	/* as a file would write it */
	const char *doc;
};

extern const struct qps_key qps_keys[];	/* ends with a NULL name */

#endif
