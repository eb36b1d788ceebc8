/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/json.h"

char *page_block(const struct value *evidence)
{
	auto_free char *text = json_write(evidence), *packed = NULL;
	size_t len;

	packed = deflate_whole(text, strlen(text), &len);
	return base64_encode(packed, len);
}
