/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include "base/cleanup.h"
#include "catalogue/fragments.h"
#include "lib/base/fail.h"

int scenario_file_load(struct scenario **out, const struct scenario_file *file,
		  struct diagnostics *diag, struct vbm_error *err)
{
	struct fragment_source source;
	struct scenario_input in;
	auto_free char *text = NULL;
	size_t len = 0;
	int ret = scenario_file_read(file->path, &text, &len, err);

	if (ret)
		return ret;
	source = fragments_of(file->root);
	in = (struct scenario_input){
		.path = file->path, .id = file->id, .text = text, .len = len,
		.fragments = &source, .clause_optional = true,
	};
	ret = scenario_parse(out, &in, diag);
	if (ret)
		vbm_fail(err, -ret, "%s: not a valid scenario", file->path);
	return ret;
}
