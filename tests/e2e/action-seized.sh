#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tools that attach without stopping the process: it begins all the same. And after a match exectrace sleeps.
. "$(dirname "$0")/../lib.sh"

begin "a tool that attaches and does not stop the process"
run_as act "$EXECTRACE" --engine="$ENGINE" --run="attach $V/seizer {pid}" --cmd='^\S*prog ' -- "$V/prog" -x 3 a
expect_lines 1 "$S/act.out" '^says a$' "it begins"
expect_lines 1 "$S/act.status" ' exit 3$' "its status"
expect_lines 1 "$S/act.err" '^exit 3$' "the tool sees its end"
end

begin "a tool that gets no processor between its attach and its stop"
run_as act "$EXECTRACE" --engine="$ENGINE" --run="attach $V/seizer -l {pid}" --cmd='^\S*prog ' -- "$V/prog" -x 3 a
expect_lines 1 "$S/act.out" '^says a$' "it begins"
expect_lines 1 "$S/act.status" ' exit 3$' "its status"
expect_lines 0 "$S/act.err" 'has ended' "the tool stops it in time"
expect_lines 1 "$S/act.err" '^exit 3$' "and sees its end"
end

begin "a tool that is killed when it has attached"
for i in 1 2 3 4 5 6 7 8; do
	run_as act "$EXECTRACE" --engine="$ENGINE" --run="attach $V/seizer -k {pid}" --cmd='^\S*prog ' -- "$V/prog" -x 3 "$i"
	expect_lines 1 "$S/act.out" "^says $i\$" "it begins"
	expect_lines 1 "$S/act.status" ' exit 3$' "its status"
done
end

# asleep PID: in a second it uses less than 2 ms of processor time; who polls uses more, however many others there are
asleep()
{
	local before after

	read -r before _ <"/proc/$1/schedstat"
	sleep 1
	read -r after _ <"/proc/$1/schedstat"
	[ $((after - before)) -lt 2000000 ]
}

begin "exectrace sleeps while nothing happens"
mkfifo "$S/gate"
new_run
ET_RUN=$ET_RUN "$EXECTRACE" --engine="$ENGINE" -q --run='args --append b' --cmd='^\S*prog a' -- \
	sh -c '"$0" a >picked; read -r line <gate' "$V/prog" &
pid=$!
expect "a program is picked" wait_for 30 test -s picked
expect "exectrace sleeps" wait_for 20 asleep "$pid"
echo >"$S/gate"
wait "$pid"
end
finish
