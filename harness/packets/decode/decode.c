/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode/decode.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "codec/line.h"
#include "decode/records.h"
#include "lib/base/fail.h"


struct decoding {
	const struct decode_options *options;
	struct records records;		/* owned */
	struct records_packet record;
	struct packet packet;
	uint64_t first_ns;		/* of the first packet of the file */
};

static const char *const way_names[] = {"", "in", "out"};

/* Captures of Verbatim describe an interface as "host NAME: ...". The caller frees. */
static char *interface_label(const struct decoding *d)
{
	const struct record_interface *i = &d->records.interface[d->record.interface];
	size_t len;

	if (strncmp(i->description, "host ", 5))
		return xstrdup(*i->name ? i->name : "?");
	len = strcspn(i->description + 5, ":");
	return xstrndup(i->description + 5, len);
}

/* Foreign text: names and comments of the file. */
static void add_record(struct text *out, const struct decoding *d)
{
	uint64_t ns = d->record.ns - d->first_ns;
	auto_free char *label = interface_label(d), *comment = NULL;

	text_addf(out, "%5" PRIu64 " %" PRIu64 ".%09" PRIu64 " ", d->record.number, ns / NS_PER_S, ns % NS_PER_S);
	if (d->records.interfaces > 1) {
		text_add_visible_line(out, label);
		text_addf(out, " %s%s", way_names[d->record.way], d->record.way ? " " : "");
	}
	line_way(out, &d->packet);
	text_add(out, " ");
	line_short(out, &d->packet);
	if (d->record.comment) {
		comment = xstrndup(d->record.comment, d->record.comment_len);
		text_add(out, " # ");
		text_add_visible_line(out, comment);
	}
	text_add(out, "\n");
}

static void print_text(const struct decoding *d)
{
	auto_text struct text out = {0};

	add_record(&out, d);
	if (d->options->details)
		line_details(&out, &d->packet);
	fputs(out.s, d->options->out);
}

static void print_json(const struct decoding *d)
{
	auto_value struct value *map = value_map();
	auto_text struct text line = {0};
	auto_free char *label = interface_label(d), *json = NULL;

	line_short(&line, &d->packet);
	value_set_int(map, "number", (int64_t)d->record.number);
	value_set_int(map, "time_ns", (int64_t)d->record.ns);
	value_set_string(map, "interface", label);
	if (d->record.way)
		value_set_string(map, "way", way_names[d->record.way]);
	value_set_string(map, "text", line.s);
	line_map(map, &d->packet);
	json = json_write(map);
	fprintf(d->options->out, "%s\n", json);
}

static const struct decode_format formats[] = {
	{"text", print_text},
	{"json", print_json},
};

const char *decode_format_name(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].name : NULL;
}

const struct decode_format *decode_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static void decode_record(struct decoding *d, struct decode_counts *counts)
{
	enum packet_start start;

	if (!counts->packets++)
		d->first_ns = d->record.ns;
	if (!records_start(d->records.interface[d->record.interface].link, &start)) {
		counts->unreadable++;
		return;
	}
	packet_read(&d->packet, start, d->record.bytes, d->record.kept);
	counts->rdma += d->packet.rdma;
	if (!d->packet.rdma && !d->options->all)
		return;
	if (!pattern_matches(&d->options->pattern, &d->packet))
		return;
	if (d->options->way && strcmp(d->options->way, way_names[d->record.way]))
		return;
	counts->shown++;
	d->options->format->packet(d);
}

int decode_file(const char *path, const struct decode_options *options, struct decode_counts *counts,
		struct vbm_error *err)
{
	struct decoding d = {.options = options};
	auto_free char *data = NULL;
	size_t len;
	int rc;

	*counts = (struct decode_counts){0};
	rc = file_read(path, &data, &len, err);
	if (rc < 0)
		return rc;
	rc = records_begin(&d.records, data, len, err);
	while (rc == 0 && (rc = records_next(&d.records, &d.record, err)) > 0) {
		decode_record(&d, counts);
		rc = 0;
	}
	records_end(&d.records);
	return rc < 0 ? vbm_wrap(err, "%s", path) : 0;
}

void decode_list_fields(FILE *out)
{
	const struct header *l;
	const struct header_field *f;
	size_t i;

	for (i = 0; (l = header_nth(i)); i++) {
		fprintf(out, "%s: %s\n", l->name, l->doc);
		for (f = l->fields; f->name; f++)
			fprintf(out, "  %-22s %s\n", f->name, f->doc);
	}
}
