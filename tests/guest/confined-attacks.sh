#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# confined-attacks.sh WORLD TOKEN FRONT: on a host of lane uml, as its root: everything that could
# change a file of the caller's. Says "NAME done" for each attack that went through and "NAME refused".
# WORLD is made by uml-confined.test; FRONT is the process of verbatim's.
# shellcheck disable=SC2016 # the shell of each attack expands
world=$1 token=$2 front=$3
m=/mnt/all
home=$m$world/home

try() {	# try NAME COMMAND: by a shell of its own, which knows the folders
	if sh -c "$2" >/dev/null 2>&1; then
		echo "$1 done"
	else
		echo "$1 refused"
	fi
}
# A folder of the caller's by another path than its own.
by() {	# by NAME PATH
	mkdir -p "/mnt/$1"
	try "$1" "mount -t hostfs none /mnt/$1 -o '$2' && echo evil >/mnt/$1/by-$1"
}

mkdir -p "$m"
mount -t hostfs none "$m" -o / || exit 1
export home m world token

try append 'echo evil >>$home/.bashrc'
try truncate ': >$home/empty-me'
try new-file 'echo evil >$home/.ssh/authorized_keys'
try new-folder 'mkdir $home/evil'
try symlink 'ln -s /etc/passwd $home/link'
try hard-link 'ln $home/.bashrc $home/linked'
try fifo 'mkfifo $home/fifo'
try device 'mknod $home/device c 1 3'
try socket 'perl -MSocket -e "socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un(q($home/socket))) or exit 1"'
try chmod 'chmod 4755 $home/mode-of-me'
try chown 'chown 12345 $home/mode-of-me; test "$(stat -c %u $home/mode-of-me)" = 12345'
try touch 'touch -d 2001-01-01 $home/touch-me'
try rename 'mv $home/rename-me $home/renamed'
try rename-over 'mv $home/over $home/over-me'
try remove 'rm $home/remove-me'
try remove-folder 'rmdir $home/remove-folder'
try swap 'mv $home/.ssh $home/ssh.old'
try kernel-store 'echo evil >>$(echo $m$world/cache/verbatim/kernels-uml/*/linux)'
try image 'echo evil >>$(echo $m$world/cache/verbatim/images/*)'
try shm 'echo evil >$m/dev/shm/$token'
try tmp 'echo evil >$m/tmp/$token'
try var-tmp 'echo evil >$m/var/tmp/$token'
try readonly-share 'mount -o remount,rw $world/ro && echo evil >$world/ro/file'
try readonly-again 'mkdir -p /mnt/ro && mount -t hostfs none /mnt/ro -o $world/ro && echo evil >/mnt/ro/again'
try below 'mkdir -p /mnt/b && mount -t hostfs none /mnt/b -o $world/home && echo evil >/mnt/b/below'
by own-root "/proc/self/root$world/home"
by own-folder /proc/self/cwd/home
by front-root "/proc/$front/root$world/home"
by front-folder "/proc/$front/cwd/home"
by other-thread "/proc/thread-self/root$world/home"
try set-user-id 'cp /bin/true $world/rw/suid && chmod 4755 $world/rw/suid && test -u $world/rw/suid'
try set-group-id 'mkdir $world/rw/sgid && chmod 2755 $world/rw/sgid && test -g $world/rw/sgid'

# A shared folder can be written to, in all ways that are no danger.
try share 'cd $world/rw && echo text >new && mkdir folder && mv new folder/moved && chmod 700 folder/moved &&
	ln folder/moved linked && ln -s moved folder/link && mkfifo fifo && rm linked && echo more >>folder/moved'
