/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/device-types.h"

#include <errno.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/abilities.h"

static const struct device_type types[] = {
	{"rxe", "RoCE v2 in software", "rdma_rxe", "rxe_newlink", "CONFIG_RDMA_RXE", "rxe", false, "crc32_generic",
	 ABILITY_WORDS},
	{"siw", "iWARP in software", "siw", "siw_newlink", "CONFIG_RDMA_SIW", "siw", true, NULL,
	 "srq"},
};

_Static_assert(ARRAY_SIZE(types) <= DEVICE_TYPES_MAX, "DEVICE_TYPES_MAX");

const struct device_type *device_type_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

const struct device_type *device_type_of_layer(const char *layer)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].module, layer) ||
		    (!strncmp(layer, "lib", 3) && !strcmp(types[i].provider, layer + 3)))
			return &types[i];
	return NULL;
}

const char *device_type_name(size_t i)
{
	return i < ARRAY_SIZE(types) ? types[i].name : NULL;
}

const struct device_type *device_type_nth(size_t i)
{
	return i < ARRAY_SIZE(types) ? &types[i] : NULL;
}

const struct device_type *device_type_default(void)
{
	return &types[0];
}

const struct device_type *device_type_or_default(const struct device_type *type)
{
	return type ? type : device_type_default();
}

int device_type_parse(const char *name, const struct device_type **type, struct vbm_error *err)
{
	auto_free char *names = NULL;

	*type = device_type_find(name);
	if (*type)
		return 0;
	names = choice_text(device_type_name, "");
	return vbm_fail(err, EINVAL, "no device is called '%s': %s", name, names);
}
