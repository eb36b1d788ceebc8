/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "machine-line/machine-line-priv.h"
#include "process/program.h"

/* How a connection starts: the command here, and the script there. */

/*
 * The script is one argument for the login shell of the machine, which may be any shell. So it has no
 * newline, and no ' except those around it. It starts the copy of this program whose name is
 * its digest; if the copy is not there or is damaged, it takes one from its standard input. sudo would drop the variable.
 */
static const char script[] =
	"exec sh -c '"
	"d=${XDG_CACHE_HOME:-$HOME/.cache}/verbatim/programs; p=$d/%s; umask 077; "
	"good() { test -x \"$1\" && test \"$(sha256sum <\"$1\")\" = \"%s  -\"; }; "
	"trap \"rm -f \\\"$p.$$\\\"; exit 1\" 1 2 13 15; "
	"good \"$p\" || { mkdir -p \"$d\" && chmod 700 \"$d\" && echo && echo verbatim-wants && "
	"head -c %lld >\"$p.$$\" && chmod 700 \"$p.$$\" && good \"$p.$$\" && mv \"$p.$$\" \"$p\" || "
	"{ rm -f \"$p.$$\"; echo \"the program did not arrive whole in $d\" >&2; exit 1; }; }; "
	"exec %s\"$p\" " DISTANT_STATION_WORD " \"$SSH_CONNECTION\"'";

/* A name that the table of the file has refused to be anything but yes or no. */
static bool is_set(const struct value *machine, const char *key)
{
	return value_get_bool(machine, key, false);
}

char *machine_line_script(const struct value *machine, const struct machine_line_program *program)
{
	return xasprintf(script, program->digest, program->digest, program->size, is_set(machine, "sudo") ? "sudo -n " : "");
}

static const char *const ssh_options[] = {
	"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5",
	"-o", "ServerAliveCountMax=3",
};

/*
 * "command" has the words before the target, for a shell of this machine. Without "ssh" the
 * command gets the script as its only argument.
 */
char **machine_line_command(const struct value *machine, const char *what)
{
	const char *target = value_get_string(machine, "ssh", NULL);
	const char *command = value_get_string(machine, "command", target ? "ssh" : "sh -c");
	char **argv = xcalloc(ARRAY_SIZE(ssh_options) + 8, sizeof(*argv));
	size_t n = 0, i;

	argv[n++] = xstrdup("sh");
	argv[n++] = xstrdup("-c");
	argv[n++] = xasprintf("exec %s \"$@\"", command);
	argv[n++] = xstrdup("sh");
	for (i = 0; target && i < ARRAY_SIZE(ssh_options); i++)
		argv[n++] = xstrdup(ssh_options[i]);
	if (target) {
		argv[n++] = xstrdup("--");
		argv[n++] = xstrdup(target);
	}
	argv[n++] = xstrdup(what);
	return argv;
}

int machine_line_program_read(struct machine_line_program *program, struct vbm_error *err)
{
	auto_free char *path = xasprintf("/proc/%d/exe", getpid());
	char sum[] = "sha256sum";
	char *argv[] = {sum, path, NULL};
	auto_free char *text = NULL;
	struct stat st;
	size_t len;

	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "cannot read this program: %s", strerror(errno));
	program->size = (long long)st.st_size;
	if (program_output(argv, 4096, &text, &len, err) < 0)
		return vbm_wrap(err, "cannot take the digest of this program");
	if (len < 64)
		return vbm_fail(err, EPROTO, "sha256sum answered '%s'", text);
	snprintf(program->digest, sizeof(program->digest), "%.64s", text);
	return 0;
}

static const struct {
	const char *words, *hint;
} hints[] = {
	{"Host key verification failed", "ssh knows another host key for this machine, or none: log in once by hand, and see ssh-keygen -R"},
	{"Permission denied", "ssh cannot ask for a password here: let it log in with a key"},
	{"Could not resolve hostname", "see 'ssh:' in the hosts file"},
	{"sudo:", "sudo must not ask for a password: allow it with NOPASSWD, or log in as root"},
	{"error while loading shared libraries", "install rdma-core and the libraries of Verbatim there: docs/install.md lists them"},
	{"sha256sum: not found", "install coreutils there"},
	{"Exec format error", "the machine has another kind of processor: build Verbatim there"},
	{"version `GLIBC", "the C library there is older than here: run from a machine with the older one"},
};

const char *machine_line_hint(const char *said)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hints); i++)
		if (strstr(said, hints[i].words))
			return hints[i].hint;
	return NULL;
}
