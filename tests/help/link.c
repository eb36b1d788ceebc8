/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void set_link(const char *netdev, bool up)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r;

	memset(&r, 0, sizeof(r));
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", netdev);
	if (ioctl(s, SIOCGIFFLAGS, &r) == 0) {
		r.ifr_flags = (short)(up ? r.ifr_flags | IFF_UP : r.ifr_flags & ~IFF_UP);
		if (ioctl(s, SIOCSIFFLAGS, &r))
			printf("# the link of %s stays: %s\n", netdev, strerror(errno));
	}
	close(s);
}
