/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "lib/base/fail.h"
#include "machines/hosts-file.h"

/* NETIF, LOCAL_V4 and so on: tools/testing/selftests/drivers/net/README.rst of the kernel describes them. */

static void put(struct value *m, const char *key, const char *text)
{
	if (text && *text)
		value_set_string(m, key, text);
}

/* REMOTE_TYPE netns: REMOTE_ARGS is a namespace of this machine; ssh: it is what ssh connects to. */
static int put_remote(struct value *m, const char *type, const char *args, struct vbm_error *err)
{
	if (!type || !args || !*args)
		return vbm_fail(err, EINVAL, "REMOTE_TYPE (ssh or netns) and REMOTE_ARGS name the second machine, and %s is not set",
				type ? "REMOTE_ARGS" : "REMOTE_TYPE");
	if (strpbrk(args, " \t\n'\"\\$`;|&<>()") || *args == '-')
		return vbm_fail(err, EINVAL, "REMOTE_ARGS is one word, a name, not '%s'", args);
	if (!strcmp(type, "ssh")) {
		value_set_string(m, "ssh", args);
		return 0;
	}
	if (strcmp(type, "netns") != 0)
		return vbm_fail(err, EINVAL, "REMOTE_TYPE is ssh or netns, not '%s'", type);
	value_set(m, "command", value_format_string("ip netns exec %s sh -c", args));
	return 0;
}

int machines_from_variables(const char *(*get)(const char *name), struct value **out, struct vbm_error *err)
{
	struct value *a = value_map(), *b = value_map();

	*out = value_list();
	value_append(*out, a);
	value_append(*out, b);
	value_set_string(a, "name", "a");
	value_set_bool(a, "local", true);
	put(a, "interface", get("NETIF"));
	put(a, "ip4", get("LOCAL_V4"));
	put(a, "ip6", get("LOCAL_V6"));
	value_set_string(b, "name", "b");
	put(b, "ip4", get("REMOTE_V4"));
	put(b, "ip6", get("REMOTE_V6"));
	if (!get("NETIF"))
		vbm_fail(err, EINVAL, "--hosts env takes the machines from the variables of the kernel's selftests, and NETIF is not set");
	else if (put_remote(b, get("REMOTE_TYPE"), get("REMOTE_ARGS"), err) == 0)
		return 0;
	value_free(*out);
	*out = NULL;
	return -EINVAL;
}
