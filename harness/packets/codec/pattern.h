/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_PATTERN_H
#define VBM_CODEC_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct packet;

/*
 * Words that describe packets. Pure. A packet matches if all words hold:
 *
 *	RC UC UD		the transport
 *	SEND_ONLY RC_SEND_ONLY	the operation, with or without the transport
 *	CM REQ REP		a message of the connection manager, or any
 *	ACK NAK RNR_NAK		the kind of an acknowledgement
 *	ipv6 vlan reth		the packet has that header
 *	FIELD			a flag is set
 *	FIELD=VALUE		and with != < > <= >=; a value is a number, a name or an address
 *	len=N icrc=WORD		bytes of the payload; the check of line_icrc()
 */
enum pattern_op { PATTERN_EQ, PATTERN_NE, PATTERN_LT, PATTERN_GT, PATTERN_LE, PATTERN_GE };

enum pattern_kind {
	WORD_TRANSPORT,
	WORD_OPERATION,
	WORD_MESSAGE,
	WORD_KIND,
	WORD_HEADER,
	WORD_FIELD,
	WORD_LENGTH,
	WORD_ICRC,
};

#define PATTERN_TEXT_MAX 64

struct pattern_word {
	enum pattern_kind kind;
	enum pattern_op op;
	const char *name;	/* of a constant or a header */
	char field[32];
	uint64_t value;
	bool is_text;		/* compare the text of the field, as an address is one */
	char text[PATTERN_TEXT_MAX];
};

struct pattern {
	struct pattern_word *word;	/* owned */
	size_t count;
};

/* Adds a word. -EINVAL with a message that names the word and, for a misspelt one, the closest. */
int pattern_add(struct pattern *pattern, const char *word, struct vbm_error *err);
bool pattern_matches(const struct pattern *pattern, const struct packet *p);
void pattern_fini(struct pattern *pattern);
bool pattern_word_matches(const struct pattern_word *word, const struct packet *p);
bool pattern_compare(enum pattern_op op, uint64_t there, uint64_t wanted);

/*
 * -EINVAL with a message if no packet can meet all words: an operation without the field, or values
 * that contradict one another. A rule (PATTERN_RULE) sees fewer words and fields, because their places must be
 * known: an operation without a transport is that of RC.
 */
enum pattern_use { PATTERN_WATCH, PATTERN_RULE };
int pattern_check(const struct pattern *pattern, enum pattern_use use, struct vbm_error *err);

/* For rules: the opcode that the words name (OPCODE_NONE if none), and a packet with the headers that they mean. */
struct build;
uint8_t pattern_opcode(const struct pattern *pattern);
void pattern_layout(struct build *b, const struct pattern *pattern, bool ip6);

/* Word number @i of those that are no field; NULL after the last one. */
const char *pattern_nth(size_t i);

#endif
