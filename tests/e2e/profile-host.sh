#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the time of a QEMU goes: its system calls, its threads, its functions; traced and sampled at the same time.
# groups: guest
. "$(dirname "$0")/../lib.sh"
needs qemu-system-x86_64
patience=100

# A QEMU with a thread for a disk and two processors, whose firmware finds nothing to boot and waits. Another one asks it to end.
cat >"$S/qemu" <<'EOF'
#!/bin/sh
mkfifo monitor
exec 8<>monitor
qemu-system-x86_64 -name x,debug-threads=on -accel tcg,thread=multi -smp 2 -m 64 -nodefaults -display none \
	-object iothread,id=disk -monitor stdio <monitor >qemu.out 2>&1 8>&- &
qemu=$!
(exec 8>&-; exec -a exectrace-profile "$EXECTRACE" -p $qemu -o "$DATA/profile-1-$qemu.xtr") 2>profile.err &
sampler=$!
while ! "$EXECTRACE" report --host --csv "$DATA" 2>/dev/null | grep -q '^thread,vCPU,.*,[0-9]*[1-9]$'; do
	sleep 0.1
	kill -0 $qemu $sampler || break
done
echo quit >monitor
wait $qemu
status=$?
wait $sampler
exit $status
EOF
sed -i '1s/sh/bash/' "$S/qemu"
chmod 755 "$S/qemu"
cd "$S" || exit 1
DATA=$S/data EXECTRACE=$EXECTRACE et -o "$S/data" --run='trace --stack --format=data' --cmd='^qemu-system' -- "$S/qemu" \
	>"$S/out" 2>"$S/err"
status=$?

begin "a QEMU that is traced and sampled"
expect_equal $status 0 "it ends well"
expect_lines 1 "$S/err" 'match 1, rule 1 \(trace\)' "it was picked"
"$EXECTRACE" report --host -n 1000 --percent-limit=0 "$S/data" >"$S/host" 2>"$S/note"
grep -v 'records were lost' "$S/note" >"$S/wrong"
expect_same "$S/wrong" /dev/null "nothing is wrong with the recording"
expect_lines 1 "$S/host" '^# System calls$' "a table of calls"
expect_lines some "$S/host" ' main loop +ppoll$' "the main loop waits"
expect_lines 1 "$S/host" ' iothread +ppoll$' "the thread for disks waits"
expect_lines some "$S/host" ' vCPU +futex$' "processors wait for each other"
expect_lines 1 "$S/host" '^# Threads$' "a table of threads"
expect_lines 2 "$S/host" '[0-9] +vCPU +CPU [01]/TCG$' "two processors"
expect_lines 1 "$S/host" ' iothread +IO disk$' "the thread for disks"
expect_lines 1 "$S/host" ' main loop +qemu-system-x86$' "the main loop"
expect_lines 1 "$S/host" '^# Children +Self +Shared Object +Symbol$' "a table of functions"
expect_lines some "$S/host" '\[\.\] cpu_exec$' "QEMU's own"
end

begin "as CSV, against what syscalls and tools count"
"$EXECTRACE" report --host --csv "$S/data" >"$S/csv"
expect_lines 1 "$S/csv" '^what,thread,name,tid,calls,errors,calls_ns,samples,samples_ns$' "titles"
"$EXECTRACE" syscalls --summary --csv "$S/data" | awk -F, 'NR > 1 { n += $2; ns += $4 } END { print n, ns }' >"$S/want"
awk -F, '$1 == "call" { n += $5; ns += $7 } END { print n, ns }' "$S/csv" >"$S/calls"
awk -F, '$1 == "thread" { n += $5; ns += $7 } END { print n, ns }' "$S/csv" >"$S/threads"
expect_same "$S/calls" "$S/want" "all calls"
expect_same "$S/threads" "$S/want" "of all threads"
"$EXECTRACE" report --csv --event=samples --sort=sym "$S/data" | awk -F, 'NR > 1 { ns += $2 } END { print ns }' >"$S/want"
awk -F, '$1 == "thread" { ns += $9 } END { print ns }' "$S/csv" >"$S/got"
expect_same "$S/got" "$S/want" "all samples"
end

begin "calls and samples are not mixed"
"$EXECTRACE" report "$S/data" >"$S/both"
expect_lines 1 "$S/both" '^# [0-9]+ samples, ' "a table of samples"
expect_lines 1 "$S/both" '^# [0-9]+ calls, ' "and one of calls"
"$EXECTRACE" report --csv "$S/data" >"$S/out" 2>"$S/err"
expect_equal $? 1 "not as CSV"
expect_lines 1 "$S/err" 'say --event=calls or --event=samples' "which says what to do"
"$EXECTRACE" report --event=calls "$S/data" >"$S/one"
expect_lines 0 "$S/one" ' samples, ' "calls alone"
"$EXECTRACE" export --format=folded "$S/data" -o "$S/folded" 2>"$S/err"
expect_equal $? 1 "nor as folded stacks"
expect "of which no file is made" test ! -e "$S/folded"
"$EXECTRACE" export --format=folded --event=samples "$S/data" >"$S/folded"
expect_lines some "$S/folded" '^CPU [01]/TCG;.*;cpu_exec' "but one of them"
expect_lines 0 "$S/folded" ';\[[a-z0-9_]+\] [0-9]+$' "without calls"
end
finish
