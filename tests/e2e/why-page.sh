#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# why: its page whatever was recorded: never empty, at most 100 lines, with what is missing; its commands work as printed.
# once: the engine has no part in it
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../why.sh"
needs perl jq

# page [OPTION...]: of exectrace.data, in $S/page and $S/json
page()
{
	"$EXECTRACE" why "$@" >"$S/page" 2>"$S/err"
	expect_equal $? 0 "status of why"
	expect "it is not empty" test -s "$S/page"
	expect "at most 100 lines" test "$(wc -l <"$S/page")" -le 100
	"$EXECTRACE" why --json "$@" >"$S/json" 2>"$S/err"
	expect_equal $? 0 "status of why --json"
	expect "it is JSON" jq -e . "$S/json"
}

says()
{
	expect_lines some "$S/page" "$1" "$2"
}

begin "all was recorded"
fresh
et -q --why -- sh -c 'cat nosuch; sleep 0.1; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; false; sh -c "cat none"; exit 1' >out 2>err
page
pasted "$S/page"
expect_lines 0 "$S/page" 'were not recorded:' "nothing is missing"
expect_equal "$(jq '.processes' "$S/json")" 5 "processes"
end

begin "only programs"
fresh
et -q -o exectrace.data --run=log -- sh -c 'sleep 0.1; sh -c "exit 3"; exit $?' >out 2>err
page
says '^sh -c .*: exit 3 after [0-9.]+[mu]?s, 3 processes' "the outcome"
says '^No system calls were recorded' "what is missing"
says '^Record them with: exectrace --why -- sh -c ' "how to get it"
pasted "$S/page"
end

begin "only samples"
fresh
cat >busy.pl <<'END'
my $s = 0;
$s += sqrt($_) for 1 .. 3000000;
END
et -q --run=profile -- sh -c 'perl busy.pl; exit 3' >out 2>err
if grep -q 'perf_event' err; then
	result 0 "no samples here" err
else
	page
	says '^Where processors were, by samples of [0-9.]+[mu]?s$' "samples"
	says '^ +[0-9.]+[mu]?s +[0-9]+%  \S+ of .*, in perl \[[0-9]+\]$' "functions, with their processes"
	expect_lines 0 "$S/page" 'busy on average|exectrace syscalls' "nothing that needs calls"
	expect_equal "$(jq '.samples | length > 0' "$S/json")" true "the same as JSON"
	says '^Record them with: exectrace --why -- sh -c ' "what is missing"
	pasted "$S/page"
fi
end

begin "only one process was traced"
fresh
et -q --run='trace --format=data' --cmd='^cat ' -- sh -c 'cat nosuch; sleep 0.1; exit 3' >out 2>err
page
says '^The calls of 2 of the 3 processes were not recorded' "how many"
says '^Record all with: exectrace --why -- sh -c ' "how to get them"
pasted "$S/page"
page --cmd='^cat'
says 'ENOENT.*<- its message$' "of that one all is known"
expect_lines 0 "$S/page" 'were not recorded: what' "nothing is missing"
pasted "$S/page"
end

begin "nothing but an empty run"
fresh
et -q -o exectrace.data --run=log --exe=/nosuch -- true >out 2>err
"$EXECTRACE" why >"$S/page" 2>"$S/err"
expect "a page, or why there is none" test -s "$S/page" -o -s "$S/err"
end

begin "one process of several"
fresh
et -q --why -- sh -c 'for i in 1 2; do sh -c "cat no$1; exit 7" sh $i; done; perl -e "exec q(cat), q(none)"' >out 2>err
page --cmd='^sh -c cat'
says '^sh -c .*: exit 7 after' "the first that fits"
says '^  others fit, too, and can be chosen by --pid:( [0-9]+)+$' "others"
page --under='^sh' --cmd=' none$'
says '^cat none \[[0-9]+\]: exit 1 after' "both together, by the last command line"
page --under='^sh -c for'
says '^sh -c .cat .*: exit 7 after' "the first one below"
"$EXECTRACE" why --cmd=zzz >"$S/page" 2>"$S/err"
expect_equal $? 1 "status of one that is not there"
expect_lines 1 "$S/err" "there is no process in it that fits --cmd='zzz'" "it is said"
"$EXECTRACE" why --cmd='(' >"$S/page" 2>"$S/err"
expect_equal $? 1 "status of a bad expression"
expect_lines 1 "$S/err" "--cmd='\('" "it is said, too"
end

begin "where a failing call was made"
fresh
et -q --why --run='trace --format=data' --first -- sh -c "$V/readconf nowhere.conf" >out 2>err
expect_lines 1 err "^Which functions made the calls that failed was not recorded\\. Record them with: exectrace --why -- sh -c " "which option records it"
for options in '' "--run='trace --for=why --stack=20' --first" "--run='trace --stack --for=why' --first"; do
	eval "et -q --why $options -- sh -c '$V/readconf nowhere.conf'" >out 2>err
	expect_lines 1 err '^ +in read_config < load < main' "$options: below the call"
	expect_lines 0 err 'made the calls that failed was not recorded' "$options: nothing is missing"
	"$EXECTRACE" syscalls --stack --filter=close >calls
	expect_lines 0 calls '^ > ' "$options: others have no stack"
done
end

begin "what is mapped later"
fresh
et -q --why -- "$V/readconf" nowhere.conf "$V/plugged" >out 2>err
expect_lines 1 err '^ +in read_config < called < plugged < load_with < main' "a library that was loaded after the first stack"
end

begin "the one that was picked"
fresh
et -q -o exectrace.data --run='trace --for=why' --exe=cat -- sh -c 'cat nowhere; exit 3' >out 2>err
page --picked
says '^cat nowhere \[[0-9]+\]: exit 1 after' "by a rule"
end

# A tree of some hundred processes that fail, wait, compute and signal each other by chance.
begin "a large tree made by chance"
fresh
cat >node.pl <<'END'
my ($seed, $depth) = @ARGV;
srand($seed);
for my $i (0 .. int(rand(4)) + 1) {
	last if $depth > 4;
	my $pid = fork // die;
	if (!$pid) {
		exec("cat", "nosuch$i") if $depth > 1 && rand() < 0.1;
		exec("sh", "-c", "sleep 0.0$i; exit $i") if $depth > 1 && rand() < 0.2;
		exec($^X, "node.pl", int($seed * 7 + $i) % 100003, $depth + 1);
	}
	kill("TERM", $pid) if $depth > 1 && rand() < 0.05;
	waitpid($pid, 0) if rand() < 0.5;
}
open(my $f, "<", "none$depth") or print STDERR "line $_: none$depth: $!\n" for 1 .. 20;
1 while wait() > 0;
exit(int(rand(3)));
END
seed=${SEED:-$RANDOM}
echo "# SEED=$seed"
et -q --why -- perl node.pl "$seed" 0 >out 2>err
page
expect "it is a large one" test "$(jq .processes "$S/json")" -gt 10
pasted "$S/page"
end

finish
