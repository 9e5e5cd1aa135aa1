# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests that kill us share; sourced behind lib.sh.

# The tree: several shells that execute programs all the time, which count themselves, until some time after the kill;
# the root writes its own end to a file.
cat >"$S/tree" <<-'EOF'
	: >count
	for j in 1 2 3 4; do
		sh -c 'i=0 after=0; while [ $i -lt 10000 ] && [ $after -lt 20 ]; do
			[ ! -e killed ] || after=$((after+1))
			"$0"/count count || echo "status $?" >>errors
			i=$((i+1))
		done; echo $i >>ran' "$V" &
	done
	wait
	"$V"/prog -x 3 last >last
	echo $? >>last
	"$V"/spawnform spawn /nonexistent >>last
	mv last ended
EOF
printf 'says last\n3\nposix_spawn: ENOENT\n' >"$S/want"
export V

# went_on: the tree, which was told of the kill, has ended as if there had been none, and so have we
went_on()
{
	expect "the tree ends" wait_for 60 test -e ended
	expect_same ended "$S/want" "its last programs"
	expect_equal "$(wc -c <count)" "$(awk '{ n += $1 } END { print n }' ran)" "every program ran once"
	expect_equal "$(cat errors 2>"$S/why")" "" "no program failed"
	expect "nothing of ours is left" wait_for 30 none_left
}
