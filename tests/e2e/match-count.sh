#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Counting is exact: --nth, --first and --limit when 50 programs execute at once, failing attempts of a PATH search, several rules.
. "$(dirname "$0")/../lib.sh"

# counts NAME MATCHED COMMANDS OPTION... -- COMMAND...: so many are picked, by what the programs themselves see, and so many counted
counts()
{
	local name=$1 matched=$2 commands=$3

	shift 3
	begin "$name"
	fresh
	et --run='args --env=PICKED=1' "$@" >"$S/out" 2>"$S/err"
	expect_lines "$matched" "$S/out" '^PICKED=1$' "the programs see that they were picked"
	expect_lines "$matched" "$S/err" '^exectrace: \[[0-9]+\] match [0-9]+, rule 1 ' "a line for each"
	expect_lines 1 "$S/err" "^exectrace: $matched of $commands commands matched" "the count at the end"
	end
}

export PATH="/none:/nowhere:$S/empty:$V:$PATH"
mkdir "$S/empty"
fifty=(-- parallel 50 prog -e PICKED hit)
counts "50 at once, all" 50 51 --cmd='^(/none/)?prog .*hit' "${fifty[@]}"
counts "50 at once, --first" 1 51 --cmd='^(/none/)?prog .*hit' --first "${fifty[@]}"
counts "50 at once, --limit=7" 7 51 --cmd='^(/none/)?prog .*hit' --limit=7 "${fifty[@]}"
counts "50 at once, --nth=50" 1 51 --cmd='^(/none/)?prog .*hit' --nth=50 "${fifty[@]}"
counts "50 at once, --nth=2-5,9" 5 51 --cmd='^(/none/)?prog .*hit' --nth=2-5,9 "${fifty[@]}"
counts "50 at once, --nth=51" 0 51 --cmd='^(/none/)?prog .*hit' --nth=51 "${fifty[@]}"
counts "50 at once, --nth=10-40 --limit=5" 5 51 --cmd='^(/none/)?prog .*hit' --nth=10-40 --limit=5 "${fifty[@]}"
counts "each number once" 1 51 --cmd='^(/none/)?prog .*hit 33$' --nth=1 "${fifty[@]}"
counts "30 times one after the other, --nth=30" 1 31 --cmd='^(/none/)?prog .*hit' --nth=30 -- \
	sh -c 'i=0; while [ $i -lt 30 ]; do prog -e PICKED hit; i=$((i+1)); done; :'

# What fails is no command: neither in the count of all nor for --nth.
printf 'no program\n' >"$S/empty/prog"
counts "failing attempts are not counted" 1 4 --cmd='^(/none/)?prog .*hit' --nth=2 -- \
	sh -c '/none/prog -e PICKED hit; env prog -e PICKED hit; exec prog -e PICKED hit' 2>/dev/null
# Somebody may execute it, but not this user.
chmod 700 "$S/empty/prog"
chmod 755 "$S" "$S/empty"
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups "$V/prog" >/dev/null 2>&1; then
	counts "attempts that are not allowed are not counted" 1 52 --cmd='^(/none/)?prog .*hit' --nth=7 -- \
		setpriv --reuid=65534 --clear-groups "${fifty[@]:1}"
	# A link leads where this user may not go: that shows only when the kernel is asked, and most were commands by then.
	rm -r "$S/empty"
	mkdir -p "$S/closed/bin"
	cp "$V/prog" "$S/closed/bin"
	chmod 755 "$S/closed/bin" "$S/closed/bin/prog"
	chmod 700 "$S/closed"
	ln -s closed/bin "$S/empty"
	counts "attempts that fail late are no matches" 1 '[0-9]+' --cmd='^(/none/)?prog .*hit' --nth=7 -- \
		setpriv --reuid=65534 --clear-groups "${fifty[@]:1}"
else
	skip_case "attempts that are refused are not counted" "needs root, and a build directory that others can read"
fi
rm -r "$S/empty"

begin "two rules, 50 at once: no program is taken twice"
fresh
et --run='args --env=PICKED=1' --cmd='^(/none/)?prog .*hit' --limit=20 --run='args --env=PICKED=2' --cmd='^(/none/)?prog .*hit' --nth=5-14 "${fifty[@]}" \
	>"$S/out" 2>"$S/err"
expect_lines 20 "$S/out" '^PICKED=1$' "rule 1 takes 20"
expect_lines 10 "$S/out" '^PICKED=2$' "rule 2 takes 10 of the rest"
expect_lines 1 "$S/err" '^exectrace: 30 of 51 commands matched$' "the count"
expect_equal "$(sed -n 's/.* match \([0-9]*\), rule .*/\1/p' "$S/err" | sort -n | uniq | wc -l)" 30 "30 different match numbers"
end

if command -v strace >/dev/null; then
	begin "50 at once, three of them under strace"
	fresh
	et --run="strace -o $S/three.{n}" --cmd='^(/none/)?prog .*hit' --limit=3 "${fifty[@]}" >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/out" '^good 50, bad 0, killed 0$' "all ran well"
	expect_equal "$(cd "$S" && ls three.* | tr '\n' ' ')" "three.1 three.2 three.3 " "three logs"
	for n in 1 2 3; do
		check_strace "$S/three.$n"
	done
	end
fi
finish
