/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include <verbatim/addrinfo.h>

static const struct {
	int code;
	const char *text;
} texts[] = {
	{0, "Success"},
	{EAI_ADDRFAMILY, "The host has no address in the requested family"},
	{EAI_AGAIN, "Temporary failure in name resolution"},
	{EAI_BADFLAGS, "Invalid flags, or an invalid argument (see errno)"},
	{EAI_FAIL, "Permanent failure in name resolution"},
	{EAI_FAMILY, "Address family not supported"},
	{EAI_MEMORY, "Out of memory"},
	{EAI_NODATA, "The host has no address"},
	{EAI_NONAME, "Node or service not known"},
	{EAI_SERVICE, "Service not available for this queue pair type"},
	{EAI_QPTYPE, "Queue pair type and port space not supported together"},
	{EAI_SYSTEM, "System error (see errno)"},
	{EAI_CANCELED, "Request cancelled"},
};

const char *vbm_gai_strerror(int code)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return "Unknown error";
}
