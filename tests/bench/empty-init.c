/* SPDX-License-Identifier: BSD-2-Clause */
/* The least a guest can do: end. How long that takes is the floor of any boot. */
#include <sys/reboot.h>
#include <unistd.h>

int main(void)
{
	reboot(RB_AUTOBOOT);
	return 1;
}
