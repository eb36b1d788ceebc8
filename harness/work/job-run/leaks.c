/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/leaks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "job/kmsg.h"

#define KMEMLEAK "/sys/kernel/debug/kmemleak"
#define WARNING_LEVEL 4

static int order(const char *word)
{
	auto_close int fd = open(KMEMLEAK, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, word, strlen(word)) < 0 ? -1 : 0;
}

void leaks_begin(void)
{
	if (order("scan") == 0)
		order("clear");
}

void leaks_tell(struct emitter *emit)
{
	auto_free char *text = NULL;
	struct kmsg_record rec = {.level = WARNING_LEVEL};
	char *pos, *line;

	/* The first scan sees new objects as changed, so only a second scan reports them. */
	if (order("scan") < 0 || order("scan") < 0 || file_read(KMEMLEAK, &text, NULL, NULL) < 0)
		return;
	for (pos = text; (line = file_next_line(&pos));) {
		snprintf(rec.text, sizeof(rec.text), "%s", line);
		kmsg_emit(emit, NULL, &rec, !strncmp(line, "unreferenced object", 19));
	}
}
