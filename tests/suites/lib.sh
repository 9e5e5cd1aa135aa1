# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/suites/run does with a suite. A suite is a file NAME.sh that sets
#   package     the Debian source package
#   limit       seconds that a run may take (600)
#   picked      matchers that pick a program of the suite which several tests run, and which needs no tracer of its own
#   alone       the numbers, among those, of the processes for strace, gdb and trace ("2 4 6")
#   follow      -f: strace and trace follow children (the default); empty: they do not
#   ptrace_cannot  why the suite cannot pass with the ptrace engine, by the way that works
#   ignored     an expression: tests that are left out, and in a comment beside it, why
# and defines, for the folder $tree of the unpacked source:
#   build_suite  builds there what the suite needs, once
#   suite        runs it; what it prints is kept
#   results      prints a line "NAME RESULT" for each test of the last run, whose output is $1

# load NAME: the suite NAME
load()
{
	name=$1
	package=$1 limit=600 alone="2 4 6" follow=-f ptrace_cannot='' ignored='' picked=()
	suite() { false; }
	. "$here/$name.sh"
	tree=$work/trees/$name
	kept=$work/results/$name
}

# report passed|failed|skipped TEXT
report()
{
	case $1 in
	passed) echo "ok    $name: $2"; echo 1 0 0 >>"$counts" ;;
	failed) echo "FAIL  $name: $2"; echo 0 1 0 >>"$counts" ;;
	skipped) echo "skip  $name: $2"; echo 0 0 1 >>"$counts" ;;
	esac
}

# --- Sources and programs --------------------------------------------------------------------------------------------

# The machine's own sources of packages as sources of source packages, in a state of our own: nothing in /etc or /var changes.
own_apt()
{
	local apt=$work/apt file

	[ ! -e "$apt/complete" ] || return 0
	mkdir -p "$apt/sources.d" "$apt/state/lists/partial" "$apt/cache/archives/partial"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$file" ] || sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' "$file" >"$apt/sources.d/$(basename "$file")"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/sources.d/$(basename "$file")"
	done
	cat >"$apt/apt.conf" <<-END
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$apt/sources.d";
	Dir::State "$apt/state";
	Dir::Cache "$apt/cache";
	APT::Sandbox::User "";
	END
	apt-get -q -c "$apt/apt.conf" update && touch "$apt/complete"
}

# unpack: the source into $tree, with Debian's changes
unpack()
{
	local folder=$work/source/$package

	mkdir -p "$folder" "$work/trees" && rm -rf "$tree" || return 1
	own_apt || return 1
	(cd "$folder" && apt-get -q -c "$work/apt/apt.conf" --download-only source "$package" &&
		dpkg-source --no-check -x ./*.dsc "$tree") || return 1
	rm -f "$work/trees"/*.orig.*
}

# prepare: unpacks and builds once; the log is $kept/build.log
prepare()
{
	mkdir -p "$kept"
	[ ! -e "$tree.complete" ] || return 0
	{ unpack && (cd "$tree" && build_suite); } >"$kept/build.log" 2>&1 </dev/null && touch "$tree.complete"
}

# What configure and make of a package of autotools are told: nothing of ours is in the programs, and what the tarball brings is
# not made again.
configure_quietly()
{
	FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking CC="${CC:-gcc}" CFLAGS='-O1 -g' "$@"
}
make_quietly()
{
	make -s -j"$(nproc)" AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=: MAKEINFO=: HELP2MAN=: "$@"
}

# trs_results FOLDER: the results of tests run by automake, one a file .trs or one a test in it
trs_results()
{
	(cd "$1" && find . -name '*.trs' | sort | while read -r file; do
		sed -n "s|^:test-result: \([A-Z]*\) *\(.*\)|$file \2 \1|p" "$file" | awk '{
			result = $NF; $NF = ""; gsub(/ +$/, ""); gsub(/ /, "_"); print $0, result }'
	done)
}

# --- One run ---------------------------------------------------------------------------------------------------------

# Processes of a run carry its mark in their environment; zombies have none.
marked()
{
	grep -lsaF "SUITE_RUN=$1" /proc/[0-9]*/environ | sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# end_rest MARK: ends, by pid, what the suite left behind. What is left of ours has to end by itself then: else its names.
end_rest()
{
	local pid tries=0 left

	while [ $((tries += 1)) -le 100 ]; do
		left=$(marked "$1")
		[ -n "$left" ] || return 0
		for pid in $left; do
			case $(cat "/proc/$pid/comm" 2>/dev/null) in
			exectrace*) ;;
			*) [ $tries -lt 20 ] || kill -KILL "$pid" 2>/dev/null ;;
			esac
		done
		sleep 0.1
	done
	for pid in $left; do
		echo "left-behind:$(cat "/proc/$pid/comm")"
		kill -KILL "$pid" 2>/dev/null
	done
}

# run_suite LABEL [PREFIX...]: the suite, with a program before it; what it prints,
# its results, and what the program before it and its tools print, are $kept/LABEL.log, .results and .messages
run_suite()
{
	local label=$1 mark=$name.$1.$$.$RANDOM scratch status start=$SECONDS

	shift
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/exectrace-suite.XXXXXX") || exit 1
	chmod 755 "$scratch"
	mkdir "$scratch/home" "$scratch/tmp"
	rm -rf "$kept/$label".*
	env -i PATH="$PATH" HOME="$scratch/home" TMPDIR="$scratch/tmp" LC_ALL=C TZ=UTC TERM=dumb SHELL=/bin/sh SUITE_RUN="$mark" \
		EXECTRACE="$program" BUILD="$build" setsid -w timeout -k 10 "$limit" \
		"$@" "$here/run" --inside "$name" "$kept/$label.log" >"$kept/$label.messages" 2>&1 </dev/null
	status=$?
	{
		end_rest "$mark"
		(cd "$tree" && results "$kept/$label.log")
		echo "exit-status $status"
	} | { [ -n "$ignored" ] && grep -vE "$ignored" || cat; } | sort >"$kept/$label.results"
	rm -rf "$scratch"
	echo $((SECONDS - start)) >"$kept/$label.seconds"
}

# --- Comparing -------------------------------------------------------------------------------------------------------

# Names of tests whose result is not in both of two files.
differing()
{
	comm -3 "$1" "$2" | awk '{ print $1 }' | sort -u
}

# stable LABEL: the results of that run without the tests that are unstable
stable()
{
	awk -v unstable="$kept/unstable" 'FILENAME == unstable { left[$1]; next } !($1 in left)' "$kept/unstable" "$kept/$1.results"
}

# plain_runs: two of them; tests in which they differ say nothing
plain_runs()
{
	local again

	run_suite plain
	run_suite plain-again
	differing "$kept/plain.results" "$kept/plain-again.results" >"$kept/unstable"
	while read -r again; do
		echo "      $name: left out, two plain runs differ: $again"
	done <"$kept/unstable"
	[ "$(grep -cE ' (PASS|ok)' "$kept/plain.results")" -gt 0 ] || { report failed "no test passes plainly: see $kept/plain.log"; return 1; }
}

# same_as_plain LABEL: else the differences are in LABEL.differences. A test that differs is looked at in a third plain run:
# when it differs there, too, it is unstable.
same_as_plain()
{
	local differences=$kept/$1.differences

	diff <(stable plain) <(stable "$1") >"$differences" && return 0
	[ -e "$kept/plain-third.results" ] || run_suite plain-third
	differing "$kept/plain.results" "$kept/plain-third.results" | grep -vxFf "$kept/unstable" >"$kept/newly-unstable"
	sed "s/^/      $name: left out, a third plain run differs: /" "$kept/newly-unstable"
	cat "$kept/newly-unstable" >>"$kept/unstable"
	diff <(stable plain) <(stable "$1") >"$differences"
}

# judge LABEL TEXT: a case, of what run LABEL gave and of what the file LABEL.unsound says about recordings
judge()
{
	local unsound=$kept/$1.unsound

	if same_as_plain "$1" && [ ! -s "$unsound" ]; then
		report passed "$2: $(stable "$1" | wc -l) results as without"
		verdict=same
	else
		report failed "$2"
		verdict="$(grep -c '^>' "$kept/$1.differences")-differ"
		cat "$kept/$1.differences" "$unsound" 2>/dev/null | sed 's/^/      /'
		echo "      see $kept/$1.log, $1.messages and plain.log"
	fi
}

# --- Picked processes ------------------------------------------------------------------------------------------------

# run_picked ENGINE: three processes of the suite to strace, gdb and trace; all others that match to log
run_picked()
{
	local label=$1-picked unfollowed= at

	read -ra at <<<"$alone"
	[ -n "$follow" ] || unfollowed=--no-follow
	run_suite "$label" "$program" --engine="$1" -o "$kept/$label.data" \
		--run="strace $follow -o $kept/$label.strace" "${picked[@]}" --nth="${at[0]}" \
		--run="gdb -batch -nx -ex 'handle all nostop noprint pass' -ex continue" "${picked[@]}" --nth="${at[1]}" \
		--run="trace ${unfollowed} -o $kept/$label.trace" "${picked[@]}" --nth="${at[2]}" \
		--run="log --format=json --output=$kept/$label.json" "${picked[@]}" --
}

# unsound LABEL: what is wrong with what was recorded, a line each
unsound()
{
	local tool matched logged

	for tool in strace trace; do
		if [ ! -s "$kept/$1.$tool" ]; then
			echo "$tool recorded nothing"
		elif ! tail -n 1 "$kept/$1.$tool" | grep -qE '\+\+\+ (exited with [0-9]+|killed by SIG[A-Z]+.*) \+\+\+$'; then
			echo "the log of $tool ends with: $(tail -n 1 "$kept/$1.$tool")"
		fi
	done
	grep -aqE '^\[Inferior 1 \(process [0-9]+\) exited |^Program terminated with signal' "$kept/$1.messages" ||
		echo "gdb did not see the end of its process"
	[ -s "$kept/$1.json" ] && [ -s "$kept/$1.data/execs.jsonl" ] || { echo "log recorded nothing"; return; }
	logged=$(wc -l <"$kept/$1.json")
	matched=$(sed -n 's/^exectrace: \([0-9]*\) of [0-9]* commands matched.*/\1/p' "$kept/$1.messages" | tail -n 1)
	[ "${matched:-0}" = $((logged + 3)) ] || echo "${matched:-no} commands matched, but $logged are in the log, and 3 went to tools"
	grep '"exe":null' "$kept/$1.data/execs.jsonl" | sed 's/^/a program whose file was not found: /'
	python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <"$kept/$1.json" || echo "the log is no JSON"
}

# --- A suite ---------------------------------------------------------------------------------------------------------

# under_engine ENGINE: both modes
under_engine()
{
	local engine=$1 nothing

	if [ "$engine" = ptrace ] && [ -n "$ptrace_cannot" ]; then
		report skipped "$engine, nothing picked: $ptrace_cannot"
		report skipped "$engine, some picked: $ptrace_cannot"
		nothing=cannot verdict=cannot
	else
		run_suite "$engine" "$program" --engine="$engine" --run=strace --cmd='[N]OSUCH_PATTERN' --
		judge "$engine" "$engine, nothing picked"
		nothing=$verdict
		run_picked "$engine"
		unsound "$engine-picked" >"$kept/$engine-picked.unsound" 2>&1
		judge "$engine-picked" "$engine, some picked"
	fi
	echo "$name $(wc -l <"$kept/plain.results") $(wc -l <"$kept/unstable") $engine $nothing $verdict" \
		"$(cat "$kept"/{plain,"$engine","$engine"-picked}.seconds 2>/dev/null | paste -sd ,)" >>"$kept/table"
}

compare_suite()
{
	local engine

	rm -f "$kept/table" "$kept/plain-third".*
	if ! prepare; then
		report failed "cannot be built: see $kept/build.log"
		return
	fi
	plain_runs || return
	for engine in $engines; do
		under_engine "$engine"
	done
}
