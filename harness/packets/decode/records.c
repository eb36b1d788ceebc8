/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

static const struct records_format *const formats[] = {&records_pcapng, &records_pcap};

/* Files that people give instead, by their first bytes. */
static const struct {
	const char *magic;
	size_t len;
	const char *is;
} others[] = {
	{"\x1f\x8b", 2, "it is compressed: gunzip it first"},
	{"(\xb5/\xfd", 4, "it is compressed: unzstd it first"},
	{"\xfd" "7zXZ", 5, "it is compressed: unxz it first"},
};

/* The numbers of link types are those of pcap. */
static const struct {
	int64_t link;
	enum packet_start start;
} links[] = {
	{1, PACKET_ETHERNET},
	{101, PACKET_IP},
	{113, PACKET_COOKED},
	{228, PACKET_IP},
	{229, PACKET_IP},
	{276, PACKET_COOKED2},
};

bool records_start(int64_t link, enum packet_start *start)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		if (links[i].link == link) {
			*start = links[i].start;
			return true;
		}
	}
	return false;
}

static int no_capture(const uint8_t *data, size_t len, struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (len >= others[i].len && !memcmp(data, others[i].magic, others[i].len))
			return vbm_fail(err, EINVAL, "%s", others[i].is);
	return vbm_fail(err, EINVAL, len ? "it is neither pcapng nor pcap" : "it is empty");
}

int records_begin(struct records *r, const void *data, size_t len, struct vbm_error *err)
{
	size_t i;
	int rc;

	*r = (struct records){.data = data, .len = len};
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i]->is(data, len))
			r->format = formats[i];
	if (!r->format)
		return no_capture(data, len, err);
	rc = r->format->begin(r, err);
	if (rc < 0)
		records_end(r);
	return rc;
}

int records_next(struct records *r, struct records_packet *record, struct vbm_error *err)
{
	int rc;

	*record = (struct records_packet){0};
	rc = r->format->next(r, record, err);
	if (rc > 0)
		record->number = ++r->count;
	return rc;
}

void records_end(struct records *r)
{
	records_forget_interfaces(r);
	*r = (struct records){0};
}

/* Helpers for all formats of captures. */
