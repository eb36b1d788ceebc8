/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "worker/worker.h"
#include "lib/base/fail.h"

#define PIECE 32768

static int nobody(struct vbm_error *err)
{
	return vbm_fail(err, EINVAL,
			"standard input has data, but no command gets it: choose a command "
			"with --stdin HOST, or redirect it from /dev/null");
}

int exec_input_begin(struct exec_input *in, bool wanted, struct vbm_error *err)
{
	struct stat st;
	int n = 0;

	*in = (struct exec_input){.wanted = wanted, .watched = wanted};
	if (wanted || fstat(STDIN_FILENO, &st) < 0)
		return 0;
	if (S_ISREG(st.st_mode))
		return lseek(STDIN_FILENO, 0, SEEK_CUR) < st.st_size ? nobody(err) : 0;
	in->watched = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	if (in->watched && ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0)
		return nobody(err);
	return 0;
}

struct pollfd exec_input_wants(const struct exec_input *in)
{
	bool now = in->watched && !in->under_way;

	return (struct pollfd){.fd = now ? STDIN_FILENO : -1, .events = POLLIN};
}

int exec_input_act(struct exec_input *in, struct worker *w, struct vbm_error *err)
{
	auto_value struct value *message = value_map();
	auto_free char *text = NULL;
	char buf[PIECE];
	ssize_t n = 0;
	int waiting = 0;

	if (!in->wanted) {
		in->watched = false;
		ioctl(STDIN_FILENO, FIONREAD, &waiting);
		return waiting > 0 ? nobody(err) : 0;
	}
	n = read(STDIN_FILENO, buf, sizeof(buf));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return vbm_fail(err, errno, "cannot read standard input: %s", strerror(errno));
	if (n == 0) {
		in->watched = false;
		value_set_bool(message, "input_end", true);
	} else {
		in->under_way = true;
		text = base64_encode(buf, (size_t)n);
		value_set_string(message, "input", text);
	}
	worker_send(w, message);
	return 0;
}
