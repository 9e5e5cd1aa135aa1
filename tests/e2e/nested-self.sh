#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exectrace inside exectrace, in both orders of the engines: the tree runs as always, and as much is picked as can be.
. "$(dirname "$0")/../lib.sh"
needs strace

for inner in auto notify ptrace; do
	# A second tracer cannot be had: asked for by name, it is refused before anything is started. Before Linux 5.19 there is
	# no listener to choose instead either.
	if [ "$ENGINE$inner" = ptraceptrace ] || ! is_kernel 5.19; then
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

# below ARG...: exectrace with the notify engine inside another one, which lists what it sees in $S/outer
below()
{
	"$EXECTRACE" --engine=notify "$@" 2>"$S/inner"
}
export -f below
export EXECTRACE S

if [ "$ENGINE" = notify ] && is_kernel 5.19; then
	each=$(rounds 40)
	begin "all that is executed below, each once, by both"
	fresh
	et --list --cmd='^\S*/count count$' -- bash -c 'below --list --cmd="^\S*/count count\$" -- "$0" 8 "$1" "$2" count' "$V/storm" "$each" "$V/count" \
		>"$S/out" 2>"$S/err"
	expect_equal $? 0 "the status"
	expect_lines 1 "$S/out" '^failed 0, not started 0$' "none failed"
	expect_lines $((8 * each)) "$S/inner" 'rule 1 .* matches: .*/count count$' "the inner one's"
	expect_lines $((8 * each)) "$S/err" 'rule 1 .* matches: .*/count count$' "the outer one's"
	end

	begin "each has its own, and not the other's"
	fresh
	et --run="args --append=outer" --cmd='prog first$' -- bash -c 'below --run="args --append=inner" --exe=prog -- sh -c "$0 first; $0 second"
		"$0" third' "$V/prog" >"$S/out" 2>"$S/err"
	expect_equal $? 0 "the status"
	expect_equal "$(cat "$S/out")" $'says first outer\nsays second inner\nsays third' "who has what"
	expect_lines 1 "$S/inner" '^exectrace: 1 of 2 commands matched$' "what the outer one has picked is not the inner one's"
	end

	begin "what has become a daemon, is told by no parent"
	fresh
	et -q --list -- bash -c 'below --run="args --append=inner" --cmd="prog late" -- sh -c "(setsid sh -c \"sleep 0.3; $0 late >late; :\" &) ; until [ -s late ]; do sleep 0.05; done"
		"$0" late' "$V/prog" >"$S/out" 2>"$S/err"
	expect_equal "$(cat late)" "says late inner" "the one below"
	expect_equal "$(cat "$S/out")" "says late" "the one beside"
	end

	begin "the outer one is stopped for a while, then the inner one"
	fresh
	new_run
	ET_RUN=$ET_RUN "$EXECTRACE" --engine=notify -q "${NOTHING[@]}" -- bash -c 'below -q --list -- "$0" 4 250 "$1" count >storm; :' "$V/storm" "$V/count" \
		>"$S/out" 2>"$S/err" &
	pid=$!
	wait_for 30 test -s count
	inner=$(pgrep -P "$(pgrep -P $pid bash)" -x exectrace)
	for one in $pid "$inner"; do
		kill -STOP "$one"
		before=$(wc -c <count)
		longer()
		{
			[ -s storm ] || [ "$(wc -c <count)" -gt $((before + 4)) ]
		}
		expect "the tree goes on" wait_for 30 longer
		kill -CONT "$one"
	done
	wait $pid
	expect_equal $? 0 "the status"
	expect_lines 1 storm '^failed 0, not started 0$' "none failed"
	expect_equal "$(wc -c <count)" 1000 "all have run"
	end

	begin "three deep, the third one picks"
	fresh
	et -q "${NOTHING[@]}" -- "$EXECTRACE" --engine=notify -q "${NOTHING[@]}" -- "$EXECTRACE" --engine=notify --run="strace -o $S/third" \
		--cmd='^\S*prog .*THIRD' -- sh -c "$V/prog a; $V/prog -x 3 THIRD; exit 4" >"$S/out" 2>"$S/err"
	expect_equal $? 4 "the status"
	check_strace "$S/third"
	end
fi

# No second tracer: the third one can run the command unwatched or refuse to, but must not hang.
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
