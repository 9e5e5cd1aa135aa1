#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --list runs the tree untouched and says of each command which rule would match, or which matcher said no; what is said when nothing matched.
. "$(dirname "$0")/../lib.sh"

tree=(sh -c "$V/prog one; $V/prog PICKME; cd /; $V/prog -x 3 three")
fresh
"${tree[@]}" >"$S/plain.out" 2>&1
begin "--list"
fresh
et --list --run=strace --cmd='^\S*prog PICKME' --run=log --cmd='prog' --cwd=/usr -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_equal $? 3 "the command's status"
expect_same "$S/out" "$S/plain.out" "the command's output"
expect_lines 1 "$S/err" '^exectrace: .*rule 1.*prog PICKME$' "the rule that would match"
expect_lines 2 "$S/err" '^exectrace: .*rule 1.*--cmd.*rule 2.*--cwd=/usr.*prog (one|-x 3 three)$' "which matcher said no, for each rule"
expect_lines 1 "$S/err" '^exectrace: .* sh -c ' "the root command"
expect_lines 1 "$S/err" '^exectrace: 1 of 4 commands matched' "the count"
end
begin "--list without rules"
fresh
et --list -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_equal $? 3 "the command's status"
expect_lines 4 "$S/err" '^exectrace: \[[0-9]+\] .*/prog' "every command is there"
end
begin "--list tells of a search that was given up"
fresh
et --list --run=log --cmd='(a+)+$' --run=log --not-cmd='(a+)+$' -- "$V/prog" "$(printf '%050d!' 0 | tr 0 a)" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" '^exectrace: \[[0-9]+\] no match \(rule 1: --cmd=.* given up, .*; rule 2: --not-cmd=.* given up' "of both"
end

begin "--list touches nothing"
fresh
et --list --run="strace -o $S/touched" --cmd=prog -- "$V/prog" x >"$S/out" 2>"$S/err"
expect "no log" test ! -e "$S/touched"
end
begin "--list quotes what it prints"
fresh
et --list -- "$V/bigargs" bytes "$V/prog" >"$S/out" 2>"$S/err"
expect_equal "$(grep -c . "$S/err")" 3 "one line each: two commands and the count"
expect_lines 0 "$S/err" $'[\x01-\x08\x0b-\x1f]' "no control characters"
end

begin "nothing matched: commands that were nearly meant"
fresh
et --run=strace --cmd='prog.*NOSUCH' -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" '^exectrace: 0 of 4 commands matched.*prog (one|PICKME)' "the nearest"
end
begin "nothing matched: a hint"
fresh
et --run=strace --cmd='NOSUCH' -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" '^exectrace: 0 of 4 commands matched.*--list' "to --list"
end
begin "the match line"
fresh
et --run="strace -o $S/log" --cmd='^\S*prog PICKME' -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" "^exectrace: \[[0-9]+\] match 1, rule 1 \(strace\): $V/prog PICKME$" "pid, match, rule, action, command"
expect_lines 1 "$S/err" '^exectrace: 1 of 4 commands matched$' "the count"
end
begin "-q says nothing"
fresh
et -q --run="strace -o $S/log" --cmd='^\S*prog PICKME' -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_equal "$(grep -v '^strace: ' "$S/err")" "" "nothing"
end
begin "-v says which engine it is"
fresh
et -v --run="strace -o $S/log" --cmd='^\S*prog PICKME' -- "${tree[@]}" >"$S/out" 2>"$S/err"
expect_lines some "$S/err" "^exectrace: .*$ENGINE" "the engine"
end
finish
