/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HMAC-SHA256 (RFC 2104, FIPS 180-4), so that auth-hello.c needs no other library. A program
 * that has a library for cryptography uses that one.
 */
#ifndef VBM_EXAMPLES_HMAC_SHA256_H
#define VBM_EXAMPLES_HMAC_SHA256_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

struct sha256 {
	uint32_t h[8];
	uint8_t block[SHA256_BLOCK];
	uint64_t length;	/* bytes so far */
};

static inline uint32_t sha256_turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* The fractional parts of the cube roots of the first 64 primes. */
static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline void sha256_block(struct sha256 *s)
{
	uint32_t w[64], v[8], a, b;
	int i;

	memcpy(w, s->block, SHA256_BLOCK);
	for (i = 0; i < 16; i++)
		w[i] = be32toh(w[i]);
	for (; i < 64; i++) {
		a = sha256_turn(w[i - 15], 7) ^ sha256_turn(w[i - 15], 18) ^ w[i - 15] >> 3;
		b = sha256_turn(w[i - 2], 17) ^ sha256_turn(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(v, s->h, sizeof(v));
	for (i = 0; i < 64; i++) {
		a = v[7] + (sha256_turn(v[4], 6) ^ sha256_turn(v[4], 11) ^ sha256_turn(v[4], 25)) +
		    ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_k[i] + w[i];
		b = (sha256_turn(v[0], 2) ^ sha256_turn(v[0], 13) ^ sha256_turn(v[0], 22)) +
		    ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += a;
		v[0] = a + b;
	}
	for (i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static inline void sha256_add(struct sha256 *s, const void *data, size_t length)
{
	const uint8_t *bytes = data;

	while (length--) {
		s->block[s->length++ % SHA256_BLOCK] = *bytes++;
		if (s->length % SHA256_BLOCK == 0)
			sha256_block(s);
	}
}

static inline void sha256_begin(struct sha256 *s)
{
	*s = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static inline void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES])
{
	uint64_t bits = htobe64(8 * s->length);
	int i;

	sha256_add(s, "\x80", 1);
	while (s->length % SHA256_BLOCK != SHA256_BLOCK - sizeof(bits))
		sha256_add(s, "", 1);
	sha256_add(s, &bits, sizeof(bits));
	for (i = 0; i < 8; i++)
		s->h[i] = htobe32(s->h[i]);
	memcpy(out, s->h, SHA256_BYTES);
}

/* The key is at most SHA256_BLOCK bytes. */
static inline void hmac_sha256(const void *key, size_t key_length, const void *data, size_t length,
			       uint8_t out[SHA256_BYTES])
{
	uint8_t inner[SHA256_BLOCK] = {0}, outer[SHA256_BLOCK];
	struct sha256 s;
	int i;

	memcpy(inner, key, key_length);
	for (i = 0; i < SHA256_BLOCK; i++) {
		outer[i] = inner[i] ^ 0x5c;
		inner[i] ^= 0x36;
	}
	sha256_begin(&s);
	sha256_add(&s, inner, sizeof(inner));
	sha256_add(&s, data, length);
	sha256_end(&s, out);
	sha256_begin(&s);
	sha256_add(&s, outer, sizeof(outer));
	sha256_add(&s, out, SHA256_BYTES);
	sha256_end(&s, out);
}

#endif
