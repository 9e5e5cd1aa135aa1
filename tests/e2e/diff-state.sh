#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# diff --state: what a program began with in two runs, and twice in one.
. "$(dirname "$0")/../lib.sh"
needs jq

# differing ARG...: what differs, as "WHAT GOOD BAD" lines, without what tells one shell from another
differing()
{
	"$EXECTRACE" diff --state --json "$@" 2>"$S/said" | jq -r '.[] | select(.what | test("^(env (_|SHLVL|OLDPWD|PWD)|command)$") | not) | "\(.what)|\(.good)|\(.bad)"'
}

cat >"$S/good.sh" <<END
cd "$S"; export ZONE=UTC LONG=1; umask 022; exec $V/prog a
END
cat >"$S/bad.sh" <<END
cd /; export LONG=2 MORE='x y'; umask 077; ulimit -S -n 50; trap '' USR1; exec 7</dev/null; exec $V/prog a
END
et -q -o good "${NOTHING[@]}" -- sh "$S/good.sh" >"$S/out" 2>"$S/err" </dev/null
et -q -o bad "${NOTHING[@]}" -- sh "$S/bad.sh" >"$S/out" 2>"$S/err" </dev/null

begin "two runs"
differing good bad -- 'prog a$' >"$S/got"
cat >"$S/want" <<END
directory|$S|/
env LONG|1|2
env MORE||x y
env ZONE|UTC|
fd 7||/dev/null
ignored USR1||yes
limit NOFILE|$(ulimit -Sn) $(ulimit -Hn)|50 $(ulimit -Hn)
umask|0022|0077
END
expect_same "$S/got" "$S/want" "what differs"
"$EXECTRACE" diff --state good bad 'prog a$' >"$S/out" 2>"$S/said"
expect_equal $? 0 "the status"
expect_lines 1 "$S/out" "^GOOD  good: $V/prog a  \[[0-9]+\]$" "the good one"
expect_lines 1 "$S/out" "^BAD   bad: $V/prog a  \[[0-9]+\]$" "the bad one"
expect_lines 1 "$S/out" '^umask +0022 +0077$' "side by side"
expect_lines 1 "$S/out" '^env MORE +- +x y$' "what one has not"
expect_lines 1 "$S/out" '^[0-9]+ more are the same$' "what is the same is counted"
end

begin "nothing differs"
"$EXECTRACE" diff --state good good/../good 'prog a$' >"$S/out" 2>"$S/said"
expect_lines 1 "$S/out" '^nothing differs, [0-9]+ lines are the same$' "it is said"
end

begin "two starts in one run"
cat >"$S/twice.sh" <<END
$V/prog a; export TWICE=1; exec 9>&1; $V/prog a; $V/prog a; exit 0
END
et -q -o twice "${NOTHING[@]}" -- sh "$S/twice.sh" 2>"$S/err" </dev/null | cat >"$S/out"
expect_equal "$(differing twice twice 'prog a$' | cut -d: -f1)" "env TWICE||1
fd 9||pipe" "the first and the second"
"$EXECTRACE" diff --state twice twice 'prog a$' >"$S/out" 2>"$S/said"
expect_lines 1 "$S/out" '^GOOD  twice: .*, number 1 of 3 that match$' "which ones"
expect_lines 1 "$S/out" '^BAD   twice: .*, number 2 of 3 that match$' "the other"
end

begin "what is refused"
"$EXECTRACE" diff --state good bad nobody >"$S/out" 2>"$S/said"
expect_equal "$? $(cat "$S/said")" "1 exectrace: good: no process matches 'nobody'" "nobody"
"$EXECTRACE" diff --state good good 'prog a$' >"$S/out" 2>"$S/said"
expect_equal "$? $(cat "$S/said")" "1 exectrace: good: only 1 process matches 'prog a\$'" "there is no second one"
"$EXECTRACE" diff --state good bad '(' >"$S/out" 2>"$S/said"
expect_equal $? 1 "a bad expression"
expect_lines 1 "$S/said" "^exectrace: --cmd='\(': " "and it says so"
"$EXECTRACE" diff good bad x >"$S/out" 2>"$S/said"
expect_equal "$? $(cat "$S/said")" "1 exectrace: unexpected 'x'; several recordings are A... -- B...; a regular expression goes with --state" "without --state"
"$EXECTRACE" diff --state good "$TESTS/golden/recording" prog >"$S/out" 2>"$S/said"
expect_equal $? 1 "an old recording"
expect_lines 1 "$S/said" 'what it began with was not recorded' "does not have it"
end

finish
