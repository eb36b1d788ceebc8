# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Daemons that a test starts, and ends with itself. Source this after tap.sh.
#
#   free_ports N                       prints N ports of the loopback that nobody uses now
#   daemon_start LINE NAME COMMAND...  starts COMMAND, and returns when it has printed LINE; its log is $tmp/NAME.log
#   daemons_stop                       ends them, the last one first, each with all processes that it started

PATH=$PATH:/usr/sbin:/sbin
daemon_pids=''
# shellcheck disable=SC2154 # tap.sh
trap 'daemons_stop; rm -rf "$tmp"' EXIT

free_ports() {
	python3 -c 'import socket, sys
all = [socket.socket() for i in range(int(sys.argv[1]))]
for one in all:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in all])' "$1"
}

# family COMMAND...: runs COMMAND, passes SIGTERM on to it, and ends when it and all processes that it started have ended,
# also those that left it (36 is PR_SET_CHILD_SUBREAPER).
family() {
	exec python3 -c 'import contextlib, ctypes, os, signal, sys
def end(*_):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
pid = os.fork()
if pid == 0:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
with contextlib.suppress(ChildProcessError):
    while os.wait():
        pass' "$@"
}

daemon_start() {
	daemon_line=$1 daemon_log=$tmp/$2.log
	shift 2
	family "$@" >"$daemon_log" 2>&1 &
	daemon_pids="$! $daemon_pids"
	timeout 60 tail -n +1 -F --pid=$! "$daemon_log" 2>/dev/null | grep -q -m1 -e "$daemon_line"
}

daemons_stop() {
	for pid in $daemon_pids; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	daemon_pids=''
}
