/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/kernel-words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* The length of the host's name at the start of "b=7.3"; 0: the word has another form. */
static size_t host_length(const char *word)
{
	size_t n = 0;

	while (islower((unsigned char)word[n]))
		n++;
	return word[n] == '=' && n <= 2 ? n : 0;
}

bool kernel_words_are(const char *text)
{
	return host_length(text) > 0;
}

static int read_kernel_word(struct kernel_words *out, const char *word, size_t len, int at, struct vbm_error *err)
{
	size_t n = host_length(word);
	int host = n == 1 ? word[0] - 'a' : -1;

	if (!n)
		return vbm_fail(err, EINVAL, "at character %d: '%.*s' is no kernel of a host, such as a=6.12", at, (int)len, word);
	if (host < 0 || host >= KERNELS_HOSTS)
		return vbm_fail(err, EINVAL, "at character %d: only hosts a and b can have their own kernel, not %.*s", at, (int)n, word);
	if (len <= n + 1)
		return vbm_fail(err, EINVAL, "at character %d: host %.*s has no kernel behind '='; verbatim kernel list shows "
				"their names", at, (int)n, word);
	if (out->name[host])
		return vbm_fail(err, EINVAL, "at character %d: host %.*s has a kernel already", at, (int)n, word);
	out->name[host] = xstrndup(word + n + 1, len - n - 1);
	return 0;
}

int kernel_words_read(struct kernel_words *out, const char *text, struct vbm_error *err)
{
	const char *word = text;
	size_t len;
	int ret = 0;

	*out = (struct kernel_words){0};
	while (ret == 0) {
		len = strcspn(word, ",");
		ret = read_kernel_word(out, word, len, (int)(word - text) + 1, err);
		if (!word[len])
			break;
		word += len + 1;
	}
	if (ret < 0)
		kernel_words_fini(out);
	return ret < 0 ? vbm_wrap(err, "--kernel %s", text) : 0;
}

void kernel_words_fini(struct kernel_words *w)
{
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++)
		free(steal(&w->name[i]));
}
