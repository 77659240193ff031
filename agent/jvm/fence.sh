#!/bin/sh
# Runs a program that is not trusted: fence.sh UID ROOT WRITABLE GIVEN READABLE... -- COMMAND...
# Started by `unshare` with new mount, network, pid, ipc and host-name namespaces, as (perhaps only the namespace's) root.
# ROOT is an empty folder that becomes the program's whole file system: the system's programs and READABLE folders read-only,
# WRITABLE as /data/user, the one place to write, GIVEN as /data/given, a small /tmp. These two have the same name in every
# run: an app may show where its files are. There is no network but a loopback of its own. UID 0 keeps the user's own id without any
# rights (where the caller is not root); any other is taken on.
set -eu
uid=$1
root=$2
writable=$3
given=$4
shift 4

mount --make-rprivate /
mount -t tmpfs -o size=16m,mode=755 fence "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
mount -t tmpfs -o size=256m,mode=1777,nosuid,nodev tmp "$root/tmp"

readable() { # path, and where it is seen if not there
    [ -e "$1" ] || return 0
    at=$root${2:-$1}
    if [ -d "$1" ]; then mkdir -p "$at"; else mkdir -p "${at%/*}" && : >"$at"; fi
    mount --bind "$1" "$at"
    mount -o remount,bind,ro,nosuid,nodev "$at"
}

for path in /usr /bin /sbin /lib /lib32 /lib64; do
    if [ -L "$path" ]; then ln -s "$(readlink "$path")" "$root$path"; else readable "$path"; fi
done
for path in /etc/alternatives /etc/ld.so.cache /etc/java-*; do readable "$path"; done
while [ "$1" != -- ]; do
    case "$1/" in
    // | /data/ | /data/user/* | /data/given/*)
        echo "$1 cannot be read inside the fence: an app's own files are there" >&2
        exit 1
        ;;
    esac
    readable "$1"
    shift
done
shift

# A phone tells apps of its processors; this one has four, whatever the computer has.
for core in 0 1 2 3; do mkdir -p "$root/sys/devices/system/cpu/cpu$core"; done

# After all the others: nothing is made below a place that the program can write to, where a link of its own could lead out.
readable "$given" /data/given
mkdir -p "$root/data/user"
[ "$uid" = 0 ] || chown -R "$uid:$uid" "$writable"
mount --bind "$writable" "$root/data/user"
mount -o remount,bind,nosuid,nodev "$root/data/user"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
for device in null zero random urandom; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,bind,ro "$root"
ip link set lo up 2>/dev/null || true

if [ "$uid" = 0 ]; then
    rights="--bounding-set=-all --inh-caps=-all --ambient-caps=-all"
else
    rights="--reuid=$uid --regid=$uid --clear-groups"
fi
cd /
unset OLDPWD
# Files of 1 GB, 12 GB of addresses (a JVM reserves far more than it uses), 1,024 threads; no core dumps.
exec chroot "$root" /usr/bin/setpriv $rights --no-new-privs \
    /usr/bin/prlimit --core=0 --nofile=4096 --fsize=1073741824 --as=12884901888 --nproc=1024 -- "$@"
