# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# For tests of --hosts: the machines are hosts a and b of a fabric, each with an sshd of its own, and the test
# itself is on host c. Source it after tests/tap.sh. It makes $lab, a folder that all hosts share.
#
#   on_lab SCRIPT [OPTION...]  host c runs SCRIPT, in which $lab, $ssh, $VERBATIM and $hosts, the hosts file, are replaced;
#                  OPTIONS are for the verbatim exec that makes the lab, which $lab_limit ends (in seconds; 1500). What it
#                  printed is in $said
#                  With $lab/apart begun by the script (". $lab/apart"), ssh has a cable of its own to each machine, and
#                  $hosts names the machines by these: root@192.0.2.2 is a, root@192.0.2.6 is b; "on a COMMAND" runs it there
#                  $lab/changes has functions for scripts whose scenarios change the machines
#   says TEXT NAME  $said has TEXT
# shellcheck disable=SC2154 # tests/tap.sh sets them

for program in ssh ssh-keygen sshd; do
	PATH=$PATH:/usr/sbin command -v $program >"$tmp/$program" || skip_all "there is no $program"
done
sshd=$(cat "$tmp/sshd")

# Keys, and a home whose shell prints a banner.
lab=$tmp/lab
mkdir -p "$lab/home/.ssh" "$lab/out"
chmod 700 "$lab/home" "$lab/home/.ssh"
ssh-keygen -q -t ed25519 -N '' -f "$lab/key"
ssh-keygen -q -t ed25519 -N '' -f "$lab/host_key"
cp "$lab/key.pub" "$lab/authorized"
echo 'echo Welcome to the lab' >"$lab/home/.bashrc"
cat >"$lab/sshd.conf" <<EOF
HostKey $lab/host_key
AuthorizedKeysFile $lab/authorized
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
LogLevel ERROR
EOF
printf '* ' >"$lab/known"
cat "$lab/host_key.pub" >>"$lab/known"
printf '* ' >"$lab/strange"
cat "$lab/key.pub" >>"$lab/strange"
for known in known strange; do
	cat >"$lab/$known.conf" <<-EOF
	IdentityFile $lab/key
	IdentitiesOnly yes
	UserKnownHostsFile $lab/$known
	StrictHostKeyChecking yes
	EOF
done

# The home of root on all hosts, which the machine's own root does not see.
cat >"$lab/serve" <<EOF
echo \$\$ >$lab/pid.\$VERBATIM_HOST
mount --bind $lab/home /root && mkdir -p /run/sshd && exec $sshd -D -e -f $lab/sshd.conf
EOF
# The first value of an option counts. Nothing here is timed, and a busy machine may be slow.
patient='-o ConnectTimeout=200 -o ServerAliveInterval=100'
# ssh that leaves its number, so that the test can kill it.
cat >"$lab/ssh" <<EOF
#!/bin/sh
echo \$\$ >"$lab/out/ssh.\$VBM_WHO"
exec $(cat "$tmp/ssh") $patient -F "$lab/known.conf" "\$@"
EOF
chmod +x "$lab/ssh"
cat >"$lab/lab.hosts" <<EOF
a: {ssh: root@IP_A, command: 'env VBM_WHO=a $lab/ssh', address: IP_A}
b: {ssh: root@IP_B, command: 'env VBM_WHO=b $lab/ssh'}
EOF

# Host c does this first: the hosts file, with the addresses of this fabric.
cat >"$lab/begin" <<EOF
cd $VBM_SRCDIR
sed "s/IP_A/\$VERBATIM_IP_A/g; s/IP_B/\$VERBATIM_IP_B/g" $lab/lab.hosts >$lab/hosts
EOF

# The management network of a lab: ssh stays when the interface of the device is down.
cat >"$lab/apart" <<EOF
IP_a=192.0.2.2 IP_b=192.0.2.6
on() { VBM_WHO=x $lab/ssh root@\$(eval echo \\\$IP_\$1) "\$2" </dev/null | sed '/Welcome to the lab/d'; }
for host in a b; do
	pid=\$(cat $lab/pid.\$host)
	[ \$host = a ] && here=192.0.2.1 there=192.0.2.2 || here=192.0.2.5 there=192.0.2.6
	ip link add to-\$host type veth peer name mgmt netns \$pid
	ip address add \$here/30 dev to-\$host
	ip link set to-\$host up
	nsenter -t \$pid -n ip address add \$there/30 dev mgmt
	nsenter -t \$pid -n ip link set mgmt up
done
sed "s/root@\$VERBATIM_IP_A/root@192.0.2.2/; s/root@\$VERBATIM_IP_B/root@192.0.2.6/" $lab/hosts >$lab/apart.hosts
mv $lab/apart.hosts $lab/hosts
EOF

# For scripts that let scenarios change machines, after $lab/apart.
cat >"$lab/changed.yaml" <<'EOF'
scenario: a machine that is changed for as long as a test needs
clause: GAI-RET-ZERO
steps:
  - a.add_address: {address: 'fd00:77::1'}
  - a.set_neighbour: {address: $b.ip}
  - a.set_route: {to: $b.ip, hop_limit: 9}
  - a.remove_address: {address: $a.ip4}
  - a.set_mtu: {mtu: 1400}
  - a.delete_rdma_link: {}
  - a.link_down: {}
  - a.stall:
    deadline: 60000
EOF
replaced() { sed "s,\$lab,$lab,g; s,\$ssh ,$(cat "$tmp/ssh") ,g; s,\$VERBATIM ,$VERBATIM ,g; s,\$hosts,$lab/hosts,g"; }
replaced >"$lab/changes" <<'EOF'
v() { $VERBATIM run --hosts $hosts --device ${type:-rxe} "$@"; }
# The state of the machines, without link-local addresses, which the kernel makes a little later; and of the
# undo journals, of which one is the lab's.
state() {
	for host in a b; do
		on $host 'dev=$(ls /sys/class/net | grep "^vb-")
		ip -o link show dev $dev; ip -o address show dev $dev; ip route show table all dev $dev; ip -6 route show table all dev $dev
		ip neighbour show dev $dev nud permanent; rdma link | grep netdev.$dev; rdma resource show | grep _$VERBATIM_HOST'
	done | sed '/ fe80::/d; s/ comp_cntr 0//; s/^[0-9]*: //; s/ *$//' | sort
	ls /run/verbatim | grep -c undo
}
same() { state >/tmp/now; diff /tmp/before /tmp/now && echo "$1 is as before"; }
# A run in the background that has changed machine a.
changed() {
	rm -f /tmp/events; mkfifo /tmp/events
	env --default-signal=INT $VERBATIM run --hosts $hosts --device ${type:-rxe} --may-disturb --format json $lab/changed.yaml >/tmp/events 2>/dev/null &
	pid=$!
	exec 3</tmp/events
	while read -r line <&3; do case $line in *'"call":"link_down"'*) break; esac; done
	state >/tmp/now
	echo "changed $(diff /tmp/before /tmp/now | grep -Ec '^>.*(mtu 1400.*state DOWN)|^<.*(state UP|inet |inet6 |link vb_.*LINK_UP|^[0-9]*$)')"
}
finish() {
	cat <&3 >$lab/out/$1
	wait $pid
	echo "$1 $?"
}
stations() {
	on a 'for p in $(pgrep -f -- "--statio[n] "); do [ /proc/$p/ns/net -ef /proc/self/ns/net ] && echo $p; done' | head -1
}
EOF

on_lab() {	# on_lab SCRIPT [OPTION...]
	replaced <"$1" | cat "$lab/begin" - >"$lab/script"
	shift
	run env PATH="/usr/bin:/bin:/usr/sbin:/sbin" "$VERBATIM" exec --lane "$lane" --layout netns --hosts 3 --cpus 1 --timeout "${lab_limit:-1500}" \
		--share "$lab" "$@" --serve a,b="sh $lab/serve" --on c="mount --bind $lab/home /root && sh $lab/script"
	said=$out
}
says() { tap_has "$said" "$1" "$2"; }
