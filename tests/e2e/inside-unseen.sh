#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that records its calls itself does not see it: it prints and ends as without a tracer. Where the agent cannot be, all calls
# stop, and --verbose says why.
. "$(dirname "$0")/../lib.sh"

# unseen WHAT COMMAND...: standard output and status as without. SOURCE: where its calls come from (inside); FOR: what they are for
unseen()
{
	local what=$1 plain

	shift
	begin "$what"
	fresh
	"$@" >"$S/plain" 2>"$S/plain.err" </dev/null
	plain=$?
	et -q --run="trace --verbose ${FOR:+--for=$FOR} --source=${SOURCE:-inside} --output=$S/log" --first -- "$@" >"$S/out" 2>"$S/err" </dev/null
	expect_equal $? "$plain" "the status"
	expect_same "$S/out" "$S/plain" "what it prints"
	[ -z "${FOR-}" ] || "$EXECTRACE" syscalls "$S/log" >"$S/log.text"
	expect "its calls are seen to the end" grep -qE '\+\+\+ (exited|killed)' "$S/log${FOR:+.text}"
}

seed=$((RANDOM % 10000))
unseen "registers, flags, red zone" "$V/registers" 3000
end
unseen "masks and actions" "$V/inside" masks
end
unseen "random calls, seed $seed" "$V/inside" random "$seed" 2000 1
end
unseen "random calls of 8 threads, seed $seed" "$V/inside" random "$seed" 500 8
end
unseen "random calls of 8 threads of a static program, seed $seed" "$V/insidestatic" random "$seed" 500 8
end
unseen "calls that a timer interrupts" "$V/interrupted" 3000 1
end
unseen "calls of 4 threads that a timer interrupts" "$V/interrupted" 3000 4
end
unseen "waits with another mask" "$V/masked" 20
end
FOR=why unseen "waits with another mask, for why" "$V/masked" 20
end
FOR=why unseen "registers, flags, red zone, for why" "$V/registers" 500
end
FOR=why unseen "random calls of 8 threads, for why, seed $seed" "$V/inside" random "$seed" 500 8
end
engines notify "the rest is the same with each"
begin "what it does is told while it makes calls all the time"
fresh
rm -f "$S/log"
et -q --run="trace --source=inside --output=$S/log" --first -- "$V/threadform" left go >"$S/out" 2>"$S/err" </dev/null &
expect "its calls" wait_for 10 has "$S/log" nanosleep
: >go
wait $!
expect_equal "$? $(cat "$S/out")" "0 went on" "its end"
end
for source in inside auto; do
	for mode in caught pending sent; do
		SOURCE=$source unseen "signals that do nothing by themselves: $mode, $source" "$V/urgent" "$mode" 500
		expect_lines 0 "$S/log" SI_TKILL "each signal as it was sent"
		end
	done
done
unseen "children" "$V/inside" children 100
end
unseen "many threads, more than there are rings for" "$V/inside" random "$seed" 10 63
end

# refused REASON: it is said
refused()
{
	is_kernel 6.4 || set -- "Linux 6.4"
	expect_lines 1 "$S/err" "--source: every call .*: .*$1" "why all calls stop"
	end
}

unseen "a limit of the size of files" sh -c 'ulimit -f 100; exec "$0" children 5' "$V/inside"
expect_lines 0 "$S/err" "--source: every call" "its calls do not stop: the memory file is the tracer's"
end
unseen "a limit of the address space" sh -c 'ulimit -v 400000; exec "$0" children 5' "$V/inside"
refused 'address space'
SOURCE=auto unseen "memory that is locked, all that it maps" "$V/contrary" locking
if grep -q '^mlockall' "$S/out"; then end; else refused 'it locks its memory'; fi
unseen "a sandbox" "$V/sandbox" errno chroot "$V/inside" children 5
refused 'seccomp filter'
has_victim prog32 "a 32-bit program" && {
	unseen "a 32-bit program" "$V/prog32" a
	refused '64-bit'
}

for mode in gs based tsc handler filter trap dispatch mapped unmapped crowded; do
	"$V/contrary" "$mode" >"$S/plain"
	if has "$S/plain" '^no instruction sets gs'; then
		skip_case "what does not go with an agent: $mode" "the processor has no wrgsbase"
		continue
	fi
	unseen "what does not go with an agent: $mode" "$V/contrary" "$mode"
	expect_lines 1 "$S/err" "--source: every call .*: it has set what an agent does not go with" "why all calls stop"
	end
done
for mode in locked limited; do
	unseen "memory that the agent takes: $mode" "$V/contrary" "$mode"
	expect "its calls do not stop" sh -c "! grep -v ' calls without a stop\$' '$S/err'"
	end
done
for mode in ignored blocked raised executed; do
	unseen "SIGSYS without a handler: $mode" "$V/contrary" "$mode"
	end
done

# interpreted NAME COMMAND...: what a program prints of which others have learned where its libraries make their calls
interpreted()
{
	begin "$1"
	shift
	"$@" >"$S/plain"
	et -q --run="trace --follow --output=$S/log" --first -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=300; exec "$@"' sh "$@" \
		>"$S/out" 2>"$S/err"
	expect_equal $? 0 "the status"
	expect_same "$S/plain" "$S/out" "what it prints"
	end
}

interpreted "text that a program maps but does not execute" "$V/interprets"
if command -v valgrind >/dev/null; then
	interpreted "a program in valgrind" valgrind -q perl -e 'print "$_\n" for sort map { $_ * 7 % 11 } 1 .. 10'
else
	skip_case "a program in valgrind" "valgrind is not installed"
fi
finish
