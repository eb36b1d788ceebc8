/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "lib/base/fail.h"
#include "machine-station/station-priv.h"

/* The messages of this kernel, for a run that started it. The messages of other machines are not read. */

#define RECORD_MAX 8192
#define RECORDS_MAX 256	/* in one answer; the rest comes with the next one */

int messages_begin(struct station *s, struct vbm_error *err)
{
	s->kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->kmsg_fd < 0)
		return vbm_fail(err, errno, "/dev/kmsg: %s", strerror(errno));
	lseek(s->kmsg_fd, 0, SEEK_END);
	return 0;
}

int messages_tell(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct value *list = value_list();
	char record[RECORD_MAX + 1];
	ssize_t n = 0;

	(void)q;
	(void)err;
	value_set(answer, "records", list);
	while (s->kmsg_fd >= 0 && list->list.count < RECORDS_MAX) {
		n = read(s->kmsg_fd, record, RECORD_MAX);
		/* Records were overwritten: read the next one. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		value_append(list, value_string(record));
	}
	return 0;
}
