/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FINDING_UPSTREAM_H
#define VBM_CATALOGUE_FINDING_UPSTREAM_H

struct diagnostics;
struct finding;
struct findings_newest;
struct value;

/*
 * The keys of a finding that are about the project upstream. Each function takes
 * the value of a key, and adds diagnostics to @diag for errors in it.
 */

/* "link:", a text or a list of texts. */
void finding_take_links(struct finding *d, const struct value *v, struct diagnostics *diag);

/* "fixed_by:", a map with "commit:" and "release:". */
void finding_take_fix(struct finding *d, const struct value *v, struct diagnostics *diag);

/* "newest:", a map with "kernel:" and "rdma_core:". It belongs to a file, not to a finding. */
void findings_take_newest(struct findings_newest *n, const struct value *v,
			  struct diagnostics *diag);

/* After all keys: checks that "fixed_by:" fits the layer and "when:". */
void finding_settle_fix(const struct finding *d, struct diagnostics *diag);

/* Frees everything that these functions took. */
void finding_upstream_fini(struct finding *d);
void findings_newest_fini(struct findings_newest *n);

#endif
