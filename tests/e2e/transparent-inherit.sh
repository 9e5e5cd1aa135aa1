#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a process inherits from its parent is what it inherits without exectrace: the root command, a child, and a child's child.
. "$(dirname "$0")/../lib.sh"

each()
{
	local options=() name

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	name=$2
	shift 2
	both "${options[@]}" "$name" -- "$@"
	both "${options[@]}" "$name, in a grandchild" -- sh -c '"$@"; exit $?' sh sh -c '"$@"; exit $?' sh "$@"
}

each -- "ids, capabilities, umask" "$V/state" ids
each -- "resource limits" "$V/state" limits
each -- "scheduling" "$V/state" sched
each -- "signal mask and dispositions" "$V/state" signals
each -- "process group and session" "$V/state" groups
each -- "directory, namespaces, persona, children" "$V/state" misc
each -- "prctl settings, no_new_privs" "$V/state" prctl
each -- "no terminal" "$V/state" terminal

each -p 'umask=027' -- "umask 027" "$V/state" ids
each -p 'nice=7' -- "nice 7" "$V/state" sched
each -p 'sched=batch' -- "batch scheduling" "$V/state" sched
each -p 'sched=idle' -- "idle scheduling" "$V/state" sched
each -p 'cpu=0' -- "one processor" "$V/state" sched
each -p 'oom=300' -- "oom_score_adj" "$V/state" sched
each -p 'timerslack=123456' -- "timer slack" "$V/state" prctl
each -p 'chdir=/usr' -- "directory" "$V/state" misc
each -p 'nofile=200:300 core=0:0' -- "lower limits" "$V/state" limits
each -p 'core=1000000' -- "a core limit" "$V/state" limits
each -p 'gid=65534 uid=65534' -- "another user" "$V/state" ids limits sched
only_root "real-time scheduling" && each -p 'sched=fifo' -- "real-time scheduling" "$V/state" sched
each -p 'ignore=all' -- "all signals ignored" "$V/state" signals
each -p 'block=all' -- "all signals blocked" "$V/state" signals
for sig in HUP INT QUIT PIPE ALRM TERM USR1 CHLD CONT TSTP TTIN TTOU URG WINCH; do
	both -p "ignore=$sig" "SIG$sig ignored" -- "$V/state" signals
	both -p "block=$sig" "SIG$sig blocked" -- "$V/state" signals
done
both -p 'ignore=CHLD' "a shell whose SIGCHLD is ignored" -- sh -c "$V/prog -x 3 a; echo \$?; $V/prog b"
both -p 'itimer=300' "an interval timer set by the caller" -- sleep 5
both -m behind -p 'pending=USR1' "a pending signal" -- "$V/state" signals
both -m behind -p 'pdeathsig=TERM subreaper=1' "death signal and subreaper" -- "$V/state" prctl
both -m behind -p 'session' "a session of its own" -- sh -c 'read -r _ _ _ _ g s _ </proc/$$/stat; [ $g-$s = $$-$$ ] && echo leader'

both "arguments" -- "$V/dump" a '' 'two words' $'new\nline' $'\xff\xfe' '*' "-x" --
both -p 'unset=PWD' "the environment" -- env DUMP_RAW=1 "$V/dump"
both "an empty environment" -- env -i "$V/dump"
both "an environment inherited twice" -- env A=1 sh -c 'B=2 "$1"/dump' sh "$V"
finish
