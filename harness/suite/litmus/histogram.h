/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LITMUS_HISTOGRAM_H
#define VBM_LITMUS_HISTOGRAM_H

/* The outcomes of the copies of a program, and how often each came. Outcomes that find no place are counted together. */
#define HISTOGRAM_OUTCOMES 64
#define HISTOGRAM_TEXT 96

struct histogram {
	char text[HISTOGRAM_OUTCOMES][HISTOGRAM_TEXT];
	int times[HISTOGRAM_OUTCOMES];
	int count, others;
};

void histogram_note(struct histogram *h, const char *text);

/* "a=1 b=1 x=1 y=1: 985; a=0 b=0 x=1 y=1: 15; others: 3", the most frequent first. The caller frees it. */
char *histogram_show(const struct histogram *h);

#endif
