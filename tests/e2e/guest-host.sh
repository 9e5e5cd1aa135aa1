#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest --host: what QEMU asks of the host stands beside what its guest does, on one clock.
# limit: 900
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
needs jq protoc

# Moments at which the guest writes to its serial port, and those at which QEMU writes to its standard output for it: how
# many of the latter have one of the former within 50 ms, in percent; $1: moved by so many ms.
near()
{
	jq -r --argjson by "$1" '
		(map(select(.name == "io_serial_out") | .ts) | sort) as $guest
		| map(select(.name == "writev" and ((.args.fd // "") | startswith("1<"))) | .ts + $by * 1000)
		| map(select(. >= $guest[0] and . <= $guest[-1])) as $host
		| [$host[] as $t | ($guest | bsearch($t)) as $i
			| (if $i >= 0 then 0 else [$guest[-2 - $i] // 0, $guest[-1 - $i] // 0] | map($t - . | fabs) | min end)]
		| if length == 0 then 0 else (map(select(. < 50000)) | length) * 100 / length | floor end' events
}

begin "the console"
fresh
et --run='guest --user=no --host=writev' --cmd='^qemu-system' -- sh -c "$BOOT -append '$WORDS'" >out 2>err </dev/null
expect_equal $? 0 "its status"
clean out >said
expect_lines 1 said '^guest ends$' "the guest ran to its end"
expect_lines 1 err 'match 1, rule 1 \(guest\)' "one match"
expect_lines 0 err 'match 2|exectrace-guest:' "no other, and no complaint"
expect_equal "$(cd exectrace.data && printf '%s ' *.xtr | sed 's/[0-9]*\.xtr/PID/g')" "guest-1-PID trace-1-PID " "two files"
"$EXECTRACE" export --format=chrome --function=io_serial_out --output=chrome exectrace.data
expect_equal $? 0 "both in one file"
jq -c '.traceEvents' chrome >events
bytes=$(wc -c <out)
expect_equal "$(jq '[.[] | select(.name == "writev" and ((.args.fd // "") | startswith("1<")))] | length' events)" "$bytes" \
	"a call for each byte that the guest has said"
# Where the machine has more to do than processors, QEMU may have to wait between the two.
expect "most of them while the guest was writing" test "$(near 0)" -ge 80
# How the guest's pauses lie is the machine's affair; somewhere a moved one meets them.
for by in 150 300 450 600 750 900; do
	near $by
done | sort -n >least
expect "which is not by chance" test "$(head -n 1 least)" -lt $(($(near 0) - 10))
end

engines notify "the rest is the same with each"

begin "tracks and stacks of both"
"$EXECTRACE" export --format=perfetto --function=io_serial_out --output=tracks exectrace.data
"$TESTS/perfetto-slices" --nested tracks >slices
expect_equal $? 0 "a sound file"
expect_lines some slices '^thread [0-9]* [0-9]* [0-9]* [0-9]* writev$' "QEMU's calls"
expect_lines some slices '^thread 1[0-9]* [0-9]* [0-9]* [0-9]* io_serial_out$' "the guest's"
"$EXECTRACE" export --format=folded exectrace.data >folded
expect_lines some folded '^(qemu-system-x86|CPU 0/TCG);.*\[writev\] [0-9]*$' "stacks that end in QEMU's calls"
expect_lines some folded ';do_syscall_64;.* [0-9]*$' "and those of the guest's functions"
expect_equal "$("$EXECTRACE" export --format=callgrind exectrace.data 2>&1 >/dev/null | grep -c 'say --event=functions')" 1 \
	"other formats ask which"
end

finish
