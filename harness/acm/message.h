/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_ACM_MESSAGE_H
#define VBM_ACM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the path service ibacm and its clients say to each other: a header and
 * up to eight entries, numbers in the host's byte order, addresses and paths
 * as they travel on a wire. This is the service's side; it shares nothing with
 * the library's, so that a mistake in one does not hide in the other. Pure.
 */
#define ACM_HEAD_SIZE 16
#define ACM_ITEM_SIZE 72
#define ACM_ITEMS 8
#define ACM_REQUEST_MAX (ACM_HEAD_SIZE + ACM_ITEMS * ACM_ITEM_SIZE)
#define ACM_REPLY_MAX (ACM_REQUEST_MAX + ACM_ITEM_SIZE)	/* an entry too many */
#define ACM_TEXT 46

/* An address, IPv4 as an IPv4-mapped one. */
struct acm_address {
	bool set;
	uint8_t gid[16];
};

/* "10.0.0.1", "::1", "::ffff:10.0.0.1"; false when @text is none of these. */
bool acm_address_read(struct acm_address *a, const char *text);
bool acm_address_is_ip4(const struct acm_address *a);

/* As it would be written; "-" when it is not set. */
void acm_address_write(const struct acm_address *a, char out[ACM_TEXT]);

/* A request to resolve. */
struct acm_question {
	struct acm_address src, dst;
	unsigned int paths;	/* path records that restrict the answer */
	struct acm_address path_dgid;	/* of the first of them */
	uint16_t path_pkey;		/* of the first of them */
	bool no_delay;		/* the client would rather have no answer than wait */
	uint8_t head[ACM_HEAD_SIZE];
};

/* How long the request is that begins so; 0: no request begins so. */
size_t acm_question_length(const uint8_t head[ACM_HEAD_SIZE]);

/* False when @msg is no request to resolve. Any bytes will do. */
bool acm_question_read(struct acm_question *q, const uint8_t *msg, size_t len);

/* What can be wrong with a reply. */
enum acm_fault {
	ACM_HONEST,
	ACM_SILENT,
	ACM_CLOSE,
	ACM_HALF_HEADER,
	ACM_CUT,
	ACM_LENGTH_SHORT,
	ACM_LENGTH_LONG,
	ACM_LENGTH_HUGE,
	ACM_LENGTH_ZERO,
	ACM_ODD,
	ACM_TOO_MANY,
	ACM_VERSION,
	ACM_OPCODE,
	ACM_TRANID,
	ACM_TYPE,
	ACM_SPLIT,
	ACM_FAULTS,
};

struct acm_path {
	struct acm_address sgid, dgid;	/* not set: the question's ends */
	uint32_t flags;
	/* Host byte order. The last three have their selector in the upper two bits. */
	uint64_t service_id;
	uint32_t flow_label;
	uint16_t pkey;
	uint8_t tclass, sl, hop_limit, mtu, rate, lifetime;
};

struct acm_answer {
	uint8_t status;
	struct acm_address source;	/* not set: none is told */
	struct acm_path path[ACM_ITEMS];
	size_t paths;			/* with the source at most ACM_ITEMS */
	enum acm_fault fault;
	bool tcp;			/* where it listens */
};

/* What is sent for it, and how. */
struct acm_reply_bytes {
	uint8_t data[ACM_REPLY_MAX];
	size_t len;		/* 0: nothing */
	bool hang_up;		/* close the connection then */
	bool split;		/* a few bytes at a time */
};

void acm_reply_make(struct acm_reply_bytes *out, const struct acm_answer *answer,
		    const struct acm_question *question);

#endif
