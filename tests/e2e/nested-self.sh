#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exectrace inside exectrace, in both orders of the engines: the tree runs as always, and as much is picked as can be.
. "$(dirname "$0")/../lib.sh"
needs strace

for inner in auto notify ptrace; do
	# A second listener, a second tracer cannot be had: asked for by name, it is refused before anything is started.
	# Before Linux 5.19 there is no listener to choose instead either.
	if [ "$ENGINE" = $inner ] || ! is_kernel 5.19; then
		begin "inside $ENGINE, $inner is refused"
		fresh
		et -q "${NOTHING[@]}" -- "$EXECTRACE" --engine=$inner --run=log -- sh -c ': >started' >"$S/out" 2>"$S/err"
		expect_equal $? 125 "status 125"
		expect "the command was not started" test ! -e started
		expect_lines 1 "$S/err" '^exectrace: .*' "one line"
		[ $inner = notify ] && ! is_kernel 5.19 || expect_lines 1 "$S/err" 'this process tree is traced already' "it says why"
		[ $inner = ptrace ] || is_kernel 5.19 || expect_lines 1 "$S/err" 'needs Linux 5\.19 or later' "and which kernel has the other engine"
		end
		continue
	fi
	begin "inside $ENGINE, $inner: output and status"
	fresh
	et -q "${NOTHING[@]}" -- "$EXECTRACE" --engine=$inner -q "${NOTHING[@]}" -- sh -c "$V/prog a; $V/prog -x 3 b; echo \$?; exit 4" \
		>"$S/out" 2>"$S/err"
	expect_equal $? 4 "the status"
	expect_equal "$(cat "$S/out")" $'says a\nsays b\n3' "the output"
	expect_equal "$(cat "$S/err")" "" "no message"
	end

	begin "inside $ENGINE, $inner: the outer one picks"
	fresh
	et --run="strace -o $S/outer" --cmd='^\S*prog OUTER' -- sh -c "$V/prog OUTER
		$EXECTRACE --engine=$inner -q --run=strace --cmd=NOSUCH[_]PATTERN -- sh -c '$V/prog inner; exit 4'" >"$S/out" 2>"$S/err"
	expect_equal $? 4 "the status"
	expect_equal "$(cat "$S/out")" $'says OUTER\nsays inner' "the output"
	expect_lines 1 "$S/err" '^exectrace: 1 of [0-9]+ commands matched$' "the outer one's count"
	check_strace "$S/outer"
	end

	begin "inside $ENGINE, $inner: the inner one picks"
	fresh
	et -q "${NOTHING[@]}" -- "$EXECTRACE" --engine=$inner --run="strace -o $S/inner" --cmd='^\S*prog .*INNER' -- \
		sh -c "$V/prog a; $V/prog -x 3 INNER; echo \$?; exit 4" >"$S/out" 2>"$S/err"
	expect_equal $? 4 "the status"
	expect_equal "$(cat "$S/out")" $'says a\nsays INNER\n3' "the output"
	if [ "$ENGINE" = notify ]; then
		check_strace "$S/inner"
		expect_lines 1 "$S/err" '^exectrace: 1 of 3 commands matched$' "the inner one's count"
	else
		# The outer one is the tracer of all processes: the inner one can only say so.
		expect_lines some "$S/err" '^exectrace: ' "it says something"
	fi
	end
done
# No second listener, no second tracer: the third one can run the command unwatched or refuse to, but must not hang.
begin "three deep"
fresh
et -q "${NOTHING[@]}" -- "$EXECTRACE" -q "${NOTHING[@]}" -- "$EXECTRACE" -q "${NOTHING[@]}" -- sh -c "$V/prog a; exit 4" >"$S/out" 2>"$S/err"
status=$?
if [ $status = 125 ]; then
	expect_lines some "$S/err" '^exectrace: ' "it says why"
	expect_equal "$(cat "$S/out")" "" "nothing ran"
else
	expect_equal $status 4 "the status"
	expect_equal "$(cat "$S/out")" "says a" "the output"
fi
end
finish
