#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests that are no Linux: calls and returns are told by their addresses. The oracle is nm, and what the guest does: it is
# tests/victims/bare.c.
# groups: guest
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
has_victim bare "all of it" && has_victim barelow "all of it" || finish
cd "$S" || exit 1

# run ACTION GUEST [QEMU-OPTION...]: what it says is in said, the recorded functions with their counts in counts
run()
{
	et --run="$1" --cmd='^qemu-system' -- sh -c 'exec "$@"' sh qemu-system-x86_64 -accel tcg -m 32 -nographic -no-reboot \
		-nodefaults -serial file:serial -kernel "$V/$2" "${@:3}" >out 2>err </dev/null
	expect_equal $? 0 "its status"
	expect_lines 1 serial 'fib[(]20[)] is 6765, the sum 59' "the guest runs as without it"
	"$EXECTRACE" report -n 100000 --csv made.xtr >counts
	"$RECORDED" made.xtr >recorded
	expect_lines 0 recorded '^wrong' "it is sound"
}

# at GUEST NAME: the address of a function, as a report shows it
at()
{
	nm "$V/$1" | sed -n "s/^0*\([0-9a-f]*\) [tT] $2\$/@\1/p"
}

# called NAME N: it was called so often
called()
{
	expect_equal "$(sed -n "s/^\"\{0,1\}$1\"\{0,1\},\([0-9]*\),.*/\1/p" counts)" "$2" "calls of $1"
}

# all_called NAME-OF GUEST: each function as often as bare.c calls it
all_called()
{
	called "$("$1" "$2" bare_main)" 1
	called "$("$1" "$2" fib)" 21891
	called "$("$1" "$2" say)" 5
	called "$("$1" "$2" say_number)" 2
	called "$("$1" "$2" twice)" 4
	called "$("$1" "$2" square)" 3
}

# named GUEST NAME: with symbols
named()
{
	echo "$2"
}

begin "one in the upper half is noticed"
run "guest --output=made.xtr" bare
all_called at bare
expect_lines 1 err 'exectrace-guest: the guest.s kernel is no Linux, or has no symbols' "it is said"
expect_lines 1 recorded '^note checks: .* closed by another 0, exact 100\.000%' "each call is ended by its own return"
expect_lines some counts '^"?\[firmware\]' "what came before"
end

begin "with symbols"
run "guest --output=made.xtr --symbols=$V/bare" bare
all_called named bare
expect_lines 0 err 'exectrace-guest:' "no complaint"
nm "$V/bare" >map
run "guest --output=made.xtr --symbols=$S/map" bare
all_called named bare
end

begin "one that runs low"
run "guest --output=made.xtr" barelow
expect_lines 1 err 'no Linux of 64 bits has begun in the guest: .*, see kernel=none$' "it is said what helps"
called fib ''
run "guest --output=made.xtr --kernel=none" barelow
all_called at barelow
expect_lines 0 counts 'firmware' "what came before has functions too"
run "guest --output=made.xtr --kernel=none --symbols=$V/barelow" barelow -smp 2
all_called named barelow
expect_lines 0 err 'exectrace-guest:' "no complaint"
end

begin "filters"
run "guest --output=made.xtr --symbols=$V/bare --function=say,say_number" bare
called fib ''
called say 5
called say_number 2
end

begin "without registers"
timeout "$(limit 200)" qemu-system-x86_64 -accel tcg -m 32 -nographic -no-reboot -nodefaults -serial null -kernel "$V/bare" \
	-plugin "$BUILD/exectrace-guest.so,out=made.xtr,registers=off" >out 2>err </dev/null
expect_equal $? 0 "its status"
"$EXECTRACE" report -n 100000 --csv made.xtr >counts
called "$(at bare fib)" 21891
called "$(at bare say)" 5
end

begin "a file that has no symbols"
run "guest --output=made.xtr --kernel=none --symbols=/dev/null" bare
expect_lines 1 err 'exectrace-guest: /dev/null: neither a file with symbols nor a System.map: not used$' "it is said"
all_called at bare
end

finish
