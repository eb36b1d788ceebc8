/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/base/fail.h"

int terminal_open(int *ours, int *theirs, struct vbm_error *err)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	char name[64];
	int slave;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0)
		return vbm_fail(err, errno, "cannot make a terminal: %s", strerror(errno));
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return vbm_fail(err, errno, "cannot open %s: %s", name, strerror(errno));
	*theirs = slave;
	*ours = steal_fd(&master);
	return 0;
}

int terminal_open_raw(int *ours, int *theirs, struct vbm_error *err)
{
	struct termios t;
	int ret = terminal_open(ours, theirs, err);

	if (ret == 0 && tcgetattr(*theirs, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(*theirs, TCSANOW, &t);
	}
	return ret;
}
