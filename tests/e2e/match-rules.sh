#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each matcher, its negation, several rules, rule files: which programs of a known tree a rule picks. The action log says which.
. "$(dirname "$0")/../lib.sh"

prepare()
{
	mkdir -p a/b c
	cp "$V/prog" prog
	printf '#!/bin/sh\n:\n' >script
	cat >tree <<-'EOF'
	./prog one
	(cd a && ../prog two; :)
	(cd a/b && ../../prog three; :)
	V=1 ./prog four
	V=22 ./prog five
	sh -c './prog six; :' outer
	sh -c 'sh -c "./prog seven; :" inner; :' outer
	./script eight
	EOF
	chmod 755 script
}

# log_words FILE: the last word of each command that log printed
log_words()
{
	sed -n -E 's/^\[[0-9]+\] parent .*: .* ([^ ]*)$/\1/p' "$1" | tr -d "'\"" | tr '\n' ' ' | sed 's/ $//'
}

# picks NAME 'WORD...' OPTION...: a rule with these matchers (and that of the programs of the tree) picks these
picks()
{
	local name=$1 want=$2

	shift 2
	fresh
	et -q --run=log "$@" -- sh tree >"$S/out" 2>"$S/err"
	expect_equal "$(log_words "$S/err")" "$want" "$name"
}

ours=(--cmd='^\./prog|^(\.\./)+prog|^\./script')
picks "--cmd" "one two three four five six seven eight" "${ours[@]}"
picks "--cmd is not anchored" "three" --cmd='prog thr'
picks "--cmd with a look-ahead" "two four five" --cmd='prog (?!one|three|s)'
picks "two --cmd must both match" "two three" --cmd='prog t' --cmd='[we][oe]'
picks "--exe by name" "one two three four five six seven" --exe=prog
picks "--exe by name with a pattern" "eight" --exe='scr?pt'
picks "--exe by path" "one two three four five six seven" --exe="$S/run/prog"
picks "--exe by path with **" "one two three four five six seven" --exe="$S/**/prog"
picks "--exe by path with *" "" --exe="/*/prog"
picks "--exe of an interpreter" "eight" --exe=sh --cmd='^\./script'
picks "--cwd, absolute" "two three" "${ours[@]}" --cwd="$S/run/a"
picks "--cwd, relative" "two three" "${ours[@]}" --cwd=a
picks "--cwd, deeper" "three" "${ours[@]}" --cwd=a/b
picks "--cwd, a pattern" "three" "${ours[@]}" --cwd='**/b'
picks "--cwd, not a prefix of a name" "" "${ours[@]}" --cwd="$S/ru"
picks "--env" "four five" "${ours[@]}" --env=V
picks "--env with a value" "five" "${ours[@]}" --env='V=^2'
picks "--parent" "six" "${ours[@]}" --parent='^sh -c \./prog.*outer$'
picks "--under" "six seven" "${ours[@]}" --under='outer$'
picks "--under a grandparent only" "seven" "${ours[@]}" --under='outer$' --not-parent='outer$'
picks "--user by number" "one two three four five six seven eight" "${ours[@]}" --user="$(id -u)"
picks "--user by name" "one two three four five six seven eight" "${ours[@]}" --user="$(id -un)"
picks "--user of somebody else" "" "${ours[@]}" --user=65534
picks "--not-cmd" "one two three" "${ours[@]}" --not-cmd='f|s|e?i'
picks "--not-exe" "eight" "${ours[@]}" --not-exe=prog
picks "--not-cwd" "one four five six seven eight" "${ours[@]}" --not-cwd=a
picks "--not-env" "one two three six seven eight" "${ours[@]}" --not-env=V
picks "--not-under" "one two three four five eight" "${ours[@]}" --not-under=outer
picks "--not-user" "" "${ours[@]}" --not-user="$(id -u)"
picks "--nth" "three" "${ours[@]}" --nth=3
picks "--nth, a list" "one three four five eight" "${ours[@]}" --nth=1,3-5,8
picks "--first" "one" "${ours[@]}" --first
picks "--limit" "one two" "${ours[@]}" --limit=2
picks "--nth counts what the rest of the rule matches" "five" "${ours[@]}" --env=V --nth=2

# rules NAME 'N WORD...' OPTION...: several rules; N is which rule took which command, by the match lines
rules()
{
	local name=$1 want=$2

	shift 2
	fresh
	et "$@" -- sh tree >"$S/out" 2>"$S/err"
	sed -n -E 's/^exectrace: \[[0-9]+\] match [0-9]+, rule ([0-9]+) \([a-z]*\): .* ([^ ]*)$/\1:\2/p' "$S/err" |
		tr '\n' ' ' | sed 's/ $//' >"$S/got"
	expect_equal "$(cat "$S/got")" "$want" "$name"
}

hold=(--run='args --env=HOLD=1')
rules "the first rule that matches wins" "1:two 1:three 2:four 2:five" \
	"${hold[@]}" --cmd='prog t' "${hold[@]}" --cmd='prog [tf]'
rules "a rule that has enough leaves the rest to the next" "1:one 2:two 2:three 2:four 2:five 2:six 2:seven" \
	"${hold[@]}" --exe=prog --first "${hold[@]}" --exe=prog
rules "matchers before the first --run belong to it" "1:two" --cmd='prog two' "${hold[@]}" --run=ignore
rules "ignore shields" "2:four 2:five" --run=ignore --cmd='prog (one|t|s)' "${hold[@]}" --exe=prog

begin "a rule without matchers matches every command"
fresh
et "${hold[@]}" -- sh tree >"$S/out" 2>"$S/err"
n=$(sed -n 's/^exectrace: \([0-9]*\) of \([0-9]*\) commands matched$/\1-\2/p' "$S/err")
expect_equal "${n%-*}" "${n#*-}" "all of them"
expect "there are at least 12" test "${n%-*}" -ge 12
end

# A file of rules is as if its lines were options.
begin "--rules=FILE"
fresh
cat >"$S/rules" <<-'EOF'
# a comment

--run=ignore
--cmd=prog (one|s)
--run=args --env=HOLD=1
--cmd=prog [a-z]*e$
EOF
et --rules="$S/rules" -- sh tree >"$S/out" 2>"$S/err"
expect_equal "$(sed -n -E 's/^exectrace: \[[0-9]+\] match [0-9]+, rule 2 \(args\): .* ([^ ]*)$/\1/p' "$S/err" | tr '\n' ' ')" "three five " \
	"the commands of rule 2"
end
begin "a rule file and rules on the command line"
fresh
et --rules="$S/rules" --run='args --env=HOLD=2' --cmd='prog four' -- sh tree >"$S/out" 2>"$S/err"
expect_lines 1 "$S/err" '^exectrace: \[[0-9]+\] match [0-9]+, rule 3 \(args\): .* four$' "rule 3"
end
printf -- '--run=log\n--cmd=a(b\n' >"$S/bad"
begin "a mistake in a rule file is named with its line"
et --rules="$S/bad" -- "$V/prog" x >"$S/out" 2>"$S/err"
expect_equal $? 125 "the status"
expect_lines 1 "$S/err" "^exectrace: .*bad:2: .*a\(b" "file, line and text"
expect_equal "$(cat "$S/out")" "" "nothing was started"
end
finish
