/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include "base/cleanup.h"
#include "base/text.h"
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
		.connects = file->connects, .chosen = file->chosen,
	};
	ret = scenario_parse(out, &in, diag);
	if (ret)
		vbm_fail(err, -ret, "%s: not a valid scenario", file->path);
	return ret;
}

size_t scenario_files_check(const struct scenario_files *files, struct text *lines, struct vbm_error *err)
{
	size_t i, bad = 0;

	for (i = 0; i < files->count; i++) {
		auto_diagnostics struct diagnostics diag = {0};
		struct scenario *s = NULL;

		if (scenario_file_load(&s, &files->item[i], &diag, err) < 0) {
			auto_free char *found = diagnostics_format(&diag, files->item[i].path);

			text_add(lines, found);
			bad++;
		}
		scenario_free(s);
	}
	return bad;
}
