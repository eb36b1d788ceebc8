/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/version.h>

unsigned int vbm_version(void)
{
	return VBM_VERSION;
}
