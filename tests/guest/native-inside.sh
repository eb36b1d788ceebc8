#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs inside a guest, as root, where the native lane is what runs: TAP.
# shellcheck source=tests/tap.sh
. "$VBM_SRCDIR/tests/tap.sh"

# Everything a run could leave: links, rules, routes, neighbours, RDMA devices.
# Left out is what comes and goes with time on the links that are there anyway:
# routes that expire, and a link-local address's once its uniqueness is clear.
state() {
	ip -o link | sed 's/^[0-9]*: //'
	for family in -4 -6; do
		ip "$family" rule
		ip "$family" route show table all | grep -v -e expires -e '^local fe80:'
		ip "$family" neigh show nud permanent
	done
	ls /sys/class/infiniband 2>/dev/null
	sysctl -a 2>/dev/null | grep -E 'accept_local|rp_filter|arp_ignore|arp_announce'
}

${CC:-cc} -shared -fPIC -o "$tmp/early-signal.so" "$VBM_SRCDIR/tests/guest/early-signal.c"
for layout in $NATIVE_LAYOUTS; do
	state >"$tmp/before"
	run "$VERBATIM" run --lane native --layout "$layout" --format tap \
		"$VBM_SRCDIR/scenarios/connect/endpoint.yaml" \
		"$VBM_SRCDIR/scenarios/device/gid.yaml" "$VBM_SRCDIR/scenarios/data/send.yaml"
	is_status 0 "scenarios pass in place, layout $layout"
	out_has 'ok 1 - connect/' 'and really ran'

	# Root of a container need not have the right to make nodes.
	run setpriv --bounding-set=-mknod --inh-caps=-mknod "$VERBATIM" run --lane native \
		--layout "$layout" --format tap "$VBM_SRCDIR/tests/data/twins/own-seen-all.yaml" \
		"$VBM_SRCDIR/scenarios/device/list.yaml" "$VBM_SRCDIR/scenarios/cm/source.yaml"
	out_has 'own-seen-all.yaml:11:27: a.get_device_list: num_devices: expected 1, got' \
		"without CAP_MKNOD a host sees all devices, layout $layout"
	is 'and works' 3 "$(grep -c '^ok ' "$tmp/out")"
	if [ "$NATIVE_PROGRAMS" ]; then
		run "$VERBATIM" run --lane native --layout "$layout" --format tap \
			"$VBM_SRCDIR/tests/data/language/programs.yaml" \
			"$VBM_SRCDIR/tests/data/language/programs-rdma.yaml"
		is_status 0 "programs in scenarios, layout $layout"
		check 'and really ran' [ "$(grep -c '^ok ' "$tmp/out")" -ge 2 ]

		# Only who joins ends this run. On a host of a host /tmp is everybody's: layers
		# of file systems go two deep.
		# shellcheck disable=SC2016 # the host's shell expands
		"$VERBATIM" exec --lane native --layout "$layout" --serve a='exec sleep infinity' \
			--on b='mkfifo /tmp/go; read -r word </tmp/go; rm /tmp/go; echo "told: $word"' >"$tmp/told" &
		pid=$!
		# shellcheck disable=SC2016 # the host's shell expands
		echo 'until [ -p /tmp/go ]; do :; done; echo "by $(hostname)" >/tmp/go; exit 7' |
			timeout 60 "$VERBATIM" shell --join "$pid" b >/dev/null
		is "a second terminal enters a run, layout $layout" 7 $?
		wait "$pid"
		is 'and is on its host' 'b| told: by b' "$(cat "$tmp/told")"
	fi
	state >"$tmp/out"
	same "$tmp/before" "a run in layout $layout leaves nothing"

	cp "$VBM_SRCDIR/tests/data/broken/stall-long.yaml.in" "$tmp/stall.yaml"
	begin_run fabric --lane native --layout "$layout" "$tmp/stall.yaml"
	runner=$(pgrep -P "$pid")
	kill -KILL "$runner" "$pid"
	wait "$pid" 2>/dev/null
	tail --pid="$runner" -f /dev/null
	exec 3<&-

	# In namespaces everything goes with the last process that held them.
	state >"$tmp/left"
	if [ "$layout" = shared ]; then
		check 'a killed run leaves things' [ -n "$(diff "$tmp/before" "$tmp/left")" ]
	else
		check 'a killed run leaves nothing' cmp "$tmp/before" "$tmp/left"
	fi
	run "$VERBATIM" doctor --sweep
	state >"$tmp/out"
	same "$tmp/before" "a sweep removes what a killed run left, layout $layout"

	begin_run fabric --lane native --layout "$layout" "$tmp/stall.yaml"
	kill -INT "$pid"
	kill -TERM "$pid"
	wait "$pid"
	is 'a signal ends a run in place' 143 $?
	exec 3<&-
	state >"$tmp/out"
	same "$tmp/before" "and it undoes what it made, layout $layout"

	# Who does not see this signal waits for as long as the scenario does.
	run timeout -s KILL 30 env LD_PRELOAD="$tmp/early-signal.so" "$VERBATIM" run --lane native \
		--layout "$layout" "$tmp/stall.yaml"
	is_status 1 "a signal before there is an agent ends the runner, layout $layout"
	state >"$tmp/out"
	same "$tmp/before" "which undoes what it made, layout $layout"
done
tap_done
