/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/facts.h"

#include <string.h>

#include "base/text.h"
#include "event/read.h"
#include "names/device-types.h"

const char *const report_facts[REPORT_FACTS] = {
	"kernel", "layout", "lane", "accelerator", "rdma_core", "target", "device", "librdmacm",
};

void report_add_device(struct text *line, const struct value *summary)
{
	const char *usual = device_type_default()->name, *device = event_string_or(summary, "device", usual);

	if (strcmp(device, usual))
		text_addf(line, ", device %s", device);
}
