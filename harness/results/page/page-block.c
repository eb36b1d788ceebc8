/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/text.h"

char *page_block(const struct text *evidence)
{
	auto_free char *packed = NULL;
	size_t len;

	packed = deflate_whole(evidence->s, evidence->len, &len);
	return base64_encode(packed, len);
}
