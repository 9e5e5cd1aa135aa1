# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced first by every tests/e2e/*.sh. Gives a hermetic place to work in, ways to run a command plain and under exectrace, and
# ways to state what is expected; see tests/README.md.
set -u
umask 022

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Started by hand: the runner makes the environment.
[ -n "${ET_SCRATCH-}" ] || exec "$TESTS/run" --keep ${ENGINE:+--engine="$ENGINE"} "$0"
S=$ET_SCRATCH
V=$VICTIMS
PATH=$PATH:/usr/sbin:/sbin
export PATH
cd "$S" || exit 1
chmod 755 "$S" # some tests become other users

# The rule of runs that must change nothing. The pattern does not match its own text on a command line.
NOTHING=(--run=strace --cmd='[N]OSUCH_PATTERN')

cases=0
failures=0
case_name=
case_problems=0

# --- Looking into files ----------------------------------------------------------------------------------------------
# By the shell itself where that is possible: processes that look at results were nine tenths of what the tests cost.

# slurp FILE: sets $text to what is in it; false when it is long, has NUL bytes, or cannot be read
slurp()
{
	[ -f "$1" ] && [ -r "$1" ] && ! IFS= read -rd '' -n 30000 text <"$1"
}

# match_lines FILE REGEX: sets $matched to the lines that match; false when a shell cannot tell. From the file itself: a here-document
# is read byte by byte.
match_lines()
{
	local text line lines

	matched=()
	case $2 in *$'\n'*) return 1 ;; esac
	slurp "$1" && mapfile -t lines <"$1" || return 1
	for line in "${lines[@]}"; do
		[[ $line =~ $2 ]] && matched+=("$line") || [ $? = 1 ] || return 1
	done
}

# matching FILE REGEX: sets $matched to the lines that grep -aE finds
matching()
{
	match_lines "$1" "$2" || mapfile -t matched < <(grep -aE -e "$2" "$1" 2>/dev/null | tr -d '\0')
}

# count FILE REGEX: sets $n to how many they are
count()
{
	local matched

	if match_lines "$1" "$2"; then
		n=${#matched[@]}
	else
		n=$(grep -acE -e "$2" "$1" 2>/dev/null)
		n=${n:-0}
	fi
}

# same_files ONE OTHER: as cmp -s
same_files()
{
	local text one

	if slurp "$1" && one=$text && slurp "$2"; then
		[ "$one" = "$text" ]
	else
		cmp -s "$1" "$2"
	fi
}

# without_child_times ARG...: sed -E ARG..., of strace's lines and ours without the processor time in a child's SIGCHLD, a tick more or less
without_child_times()
{
	sed -E -e 's/si_([us])time=[0-9]+( \/\*[^*]*\*\/)?/si_\1time=N/g' "$@"
}

# --- Stating results -------------------------------------------------------------------------------------------------

# comment FILE [LINES]: shows the beginning of a file below a failed case
comment()
{
	head -n "${2:-40}" "$1" | cut -c 1-400 | cat -v | sed 's/^/#   /'
}

# ok NAME
ok()
{
	cases=$((cases + 1))
	echo "ok - $1"
}

# fail NAME [LINE...]
fail()
{
	echo "not ok - $1"
	cases=$((cases + 1))
	failures=$((failures + 1))
	shift
	[ $# -eq 0 ] || printf '#   %s\n' "$@"
}

# skip_case NAME REASON
skip_case()
{
	cases=$((cases + 1))
	echo "ok - $1 # SKIP $2"
}

# skip REASON: the rest of the file
skip()
{
	skip_case "the rest" "$1"
	finish
}

# The last line of every test.
finish()
{
	echo "1..$cases"
	[ $failures -eq 0 ]
	exit
}

# begin NAME ... end: what is expected in between makes one case, which fails when one of the expectations does.
begin()
{
	case_name=$1
	case_problems=0
	: >"$S/case"
}

end()
{
	local name=$case_name

	case_name=
	if [ $case_problems -eq 0 ]; then
		ok "$name"
	else
		fail "$name"
		cat "$S/case"
	fi
}

# result STATUS NAME [FILE]: one expectation; FILE explains a failure
result()
{
	if [ -n "$case_name" ]; then
		[ "$1" -eq 0 ] && return 0
		case_problems=$((case_problems + 1))
		echo "#   not so: $2" >>"$S/case"
		[ $# -lt 3 ] || comment "$3" >>"$S/case"
		return 1
	fi
	if [ "$1" -eq 0 ]; then
		ok "$2"
	else
		fail "$2"
		[ $# -lt 3 ] || comment "$3"
	fi
	return "$1"
}

# expect NAME COMMAND...: the command succeeds
expect()
{
	local name=$1

	shift
	"$@" >"$S/why" 2>&1
	result $? "$name" "$S/why"
}

# expect_same GOT WANT NAME: two files are the same
expect_same()
{
	if same_files "$1" "$2"; then
		result 0 "$3"
	else
		diff -a -u --label "wanted ($2)" --label "got ($1)" "$2" "$1" >"$S/why" 2>&1
		result 1 "$3" "$S/why"
	fi
}

# expect_equal GOT WANT NAME: two words are the same
expect_equal()
{
	printf 'got:    %s\nwanted: %s\n' "$1" "$2" >"$S/why"
	[ "$1" = "$2" ]
	result $? "$3" "$S/why"
}

# expect_lines N FILE REGEX NAME: so many lines match; N may be "some"
expect_lines()
{
	local status=0 n

	count "$2" "$3"
	case $1 in
	some) [ "$n" -gt 0 ] ;;
	*) [ -e "$2" ] && [ "$n" = "$1" ] ;;
	esac || {
		status=1
		echo "got $n lines, wanted $1, that match: $3"
		echo "in $2:"
		head -n 30 "$2" 2>&1
	} >"$S/why"
	result $status "$4" "$S/why"
}

# --- What a test needs -----------------------------------------------------------------------------------------------

# needs TOOL...: else the rest is skipped
needs()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# has_victim NAME CASE: false, with CASE skipped, when the victim could not be built here, or the kernel does not run it
has_victim()
{
	[ -x "$V/$1" ] || {
		skip_case "$2" "the victim $1 could not be built here"
		return 1
	}
	kernel_runs "$V/$1" "${2-$1}"
}

# kernel_runs FILE CASE: false, with CASE skipped, for a 32-bit program, or the victim of 32-bit system calls, where the kernel runs none
kernel_runs()
{
	if [ "$1" = "$V/int80" ]; then
		"$1" "$V/prog" >"$S/why" 2>&1
		[ $? = 77 ] || return 0
	else
		[ "$(od -A n -t u1 -j 4 -N 1 "$1" | tr -d ' ')" = 1 ] && refuses_narrow || return 0
	fi
	skip_case "$2" "the kernel runs no 32-bit programs"
	return 1
}

# refuses_narrow: whether execve takes the 32-bit victim for no program; asked once
refuses_narrow()
{
	[ -n "$narrow_refused" ] || {
		narrow_refused=no
		[ ! -x "$V/prog32" ] || "$V/prog32" >"$S/why" 2>&1 || ! has "$S/why" ': Exec format error$' || narrow_refused=yes
	}
	[ $narrow_refused = yes ]
}

narrow_refused=

# engines LIST REASON: the rest is for these engines only, because of how the other works
engines()
{
	case " $1 " in
	*" $ENGINE "*) ;;
	*) skip "not with engine $ENGINE: $2" ;;
	esac
}

# engine_can LIST CASE REASON: the same for one case
engine_can()
{
	case " $1 " in
	*" $ENGINE "*) return 0 ;;
	esac
	skip_case "$2" "not with engine $ENGINE: $3"
	return 1
}

# yama_binds: whether Yama lets us attach to descendants only
yama_binds()
{
	! is_root && [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null)" = 1 ]
}

# behind_can CASE: false, with CASE skipped, where -D cannot be had (exectrace(1), CAVEATS)
behind_can()
{
	[ "$ENGINE" = notify ] && yama_binds || return 0
	skip_case "$1" "not with engine $ENGINE: kernel.yama.ptrace_scope is 1, and with -D the command's processes cannot be read"
	return 1
}

# only_root CASE: false, with CASE skipped, for anybody else
only_root()
{
	is_root && return 0
	skip_case "$1" "needs root"
	return 1
}

# kernel_can VERSION CASE WHAT: false, with CASE skipped, on a kernel that is older; WHAT is what that version brought
kernel_can()
{
	is_kernel "$1" && return 0
	skip_case "$2" "needs Linux $1: $3"
	return 1
}

# ends_known CASE: false, with CASE skipped, where the engine cannot know how each process ended; how the tree goes on shows it by chance
ends_known()
{
	[ "$ENGINE" = ptrace ] || kernel_can 6.15 "$1" "a pidfd tells how its process ended"
}

# is_kernel VERSION: or later
is_kernel()
{
	local major minor rest

	IFS=.-+ read -r major minor rest </proc/sys/kernel/osrelease
	[ "$major" -gt "${1%%.*}" ] || { [ "$major" = "${1%%.*}" ] && [ "${minor%%[!0-9]*}" -ge "${1#*.}" ]; }
}

is_root()
{
	[ "$EUID" = 0 ]
}

# --- Running ---------------------------------------------------------------------------------------------------------

patience=20 # seconds that one run may take
slow=${ET_SLOW:-1} # how many times as long all of it may take: tests/run --slow=N

# limit SECONDS: as many, or N times as many with tests/run --slow=N. Every limit of time is made by it: timeout "$(limit 20)" COMMAND
limit()
{
	echo $(($1 * slow))
}

# rounds NUMBER: as many, or an Nth with tests/run --slow=N, a multiple of ten: of what is repeated so that rare things happen
rounds()
{
	echo $((($1 / slow + 9) / 10 * 10))
}

# et ARG...: exectrace with the engine under test; one that hangs is ended, so that the other cases get their turn
et()
{
	timeout --foreground -k 1 $((patience * slow)) "$EXECTRACE" --engine="$ENGINE" "$@"
}

# ran_or_said_why: of "$outcome" (status, whether the command ran, lines said): as ever, or 125 and one line
ran_or_said_why()
{
	case $outcome in
	'3 ran 0' | '125 not 1') return 0 ;;
	esac
	echo "status, command, lines: $outcome"
	cat "$S/err"
	return 1
}

# nap SECONDS: sleep, as a time limit on a pipe in which nothing ever comes
nap()
{
	[ -p "$S/nap" ] || mkfifo -m 666 "$S/nap"
	read -rt "$1" <>"$S/nap"
	[ $? -gt 128 ] || sleep "$1"
}

# wait_for SECONDS COMMAND...: until it succeeds; false when it never did
wait_for()
{
	local end=$((${EPOCHREALTIME/[^0-9]/} + $1 * slow * 1000000))

	shift
	until "$@"; do
		[ "${EPOCHREALTIME/[^0-9]/}" -lt $end ] || return 1
		nap 0.02
	done
}

# always MILLISECONDS COMMAND...: it succeeds each time that it is tried for so long; false at the first time when it does not. For what must
# not happen: to wait for what must, there is wait_for.
always()
{
	local end=$((${EPOCHREALTIME/[^0-9]/} + $1 * 1000))

	shift
	while "$@"; do
		[ "${EPOCHREALTIME/[^0-9]/}" -lt $end ] || return 0
		nap 0.01
	done
	return 1
}

# stands PID: it is stopped (one that is traced shows as t instead of T)
stands()
{
	grep -q '^State:.[Tt]' "/proc/$1/status"
}

# has FILE REGEX: for wait_for
has()
{
	local matched

	if match_lines "$1" "$2"; then
		[ ${#matched[@]} -gt 0 ]
	else
		grep -qaE -e "$2" "$1" 2>/dev/null
	fi
}

# in_write PID: it is in write(2). wchan is 0 before Linux 5.16 where the kernel has no frame pointers.
in_write()
{
	grep -qs '^\(1\|20\) ' "/proc/$1/syscall"
}

# fresh [FILE...]: a directory that is empty again for each run, so that all runs see the same path; `prepare` may put files there. The
# files go, too.
prepare()
{
	:
}

fresh()
{
	cd "$S" || return 1
	if [ -d run ] && ! compgen -G 'run/*' >"$S/why" && ! compgen -G 'run/.[!.]*' >"$S/why"; then
		[ $# = 0 ] || rm -rf "$@"
	else
		rm -rf run "$@" && mkdir -m 777 run
	fi && cd run && prepare
}

# The state in which `both` starts what it runs: words for the victim `under`, set by both's -p.
under=()

# run_as TAG COMMAND...: leaves TAG.out, TAG.err, TAG.status and TAG.pid in the scratch directory. driver: see both.
run_as()
{
	local tag=$1 pid started

	shift
	fresh "$S/$tag".*
	"$V/waitstatus" ${group:+-g} -t $((patience * slow)) -p "$S/$tag.pid" "$S/$tag.status" "${under[@]}" "$@" \
		<"$input" >"$S/$tag.out" 2>"$S/$tag.err" &
	pid=$!
	if [ -n "$driver" ]; then
		wait_for 30 test -s "$S/$tag.pid"
		read -r started <"$S/$tag.pid"
		"$driver" "$started" "$S/$tag.out"
	fi
	wait $pid
	[ -s "$S/$tag.status" ] || echo "no status" >"$S/$tag.status"
	cd "$S" || exit 1
}

# expect_as_plain TAG: the standard output of run TAG is that of the run `plain`. An ordinary user may install a seccomp filter only with
# no_new_privs, which the tree inherits (exectrace(1), CAVEATS): with the engine notify what was 0 has to be 1.
expect_as_plain()
{
	local plain=$S/plain.out

	if [ "$ENGINE" = notify ] && ! is_root; then
		sed 's/^\(NoNewPrivs:[[:space:]]*\)0$/\11/' "$plain" >"$S/plain.user"
		plain=$S/plain.user
	fi
	expect_same "$S/$1.out" "$plain" "same standard output"
}

group=
driver=
input=/dev/null
models="parent behind"

# both [OPTION]... NAME -- COMMAND...
# COMMAND plain and under exectrace, with a rule that matches nothing: output, messages and raw wait status must be the same. Twice:
# with exectrace as the parent, and with -D.
#   -p 'KEY=VALUE...'  start it in this state (victims/under.c)
#   -g                 in a process group of its own
#   -d FUNCTION        call FUNCTION PID OUTPUTFILE when it has been started; PID is what the caller started
#   -i FILE            standard input
#   -m MODEL           only parent or only behind
#   -e ENGINE:REASON   not with this engine
both()
{
	local OPTIND=1 opt name model not='' flag m=$models
	local group=$group driver=$driver input=$input under=()

	while getopts d:e:gi:m:p: opt; do
		case $opt in
		d) driver=$OPTARG ;;
		e) not=$OPTARG ;;
		g) group=1 ;;
		i) input=$OPTARG ;;
		m) m=$OPTARG ;;
		p) read -ra under <<<"$V/under $OPTARG --" ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	shift 2
	if [ "${not%%:*}" = "$ENGINE" ]; then
		skip_case "$name" "not with engine $ENGINE: ${not#*:}"
		return
	fi
	run_as plain "$@"
	for model in $m; do
		flag=
		[ "$model" = parent ] || flag=-D
		[ -z "$flag" ] || behind_can "$name (-D)" || continue
		run_as "$model" "$EXECTRACE" --engine="$ENGINE" -q $flag "${NOTHING[@]}" -- "$@"
		begin "$name${flag:+ (-D)}"
		expect_same "$S/$model.status" "$S/plain.status" "same wait status"
		expect_as_plain "$model"
		expect_same "$S/$model.err" "$S/plain.err" "same standard error"
		end
	done
}

# --- Picking one process ---------------------------------------------------------------------------------------------

# The command line of the victim prog (or of a script that behaves so) when it is to be picked.
PICK='^(\S*/)?prog\S* (-\S+ \S+ )*PICKME'

# messages FILE: our own lines
messages()
{
	local matched

	matching "$1" '^exectrace: '
	[ ${#matched[@]} -gt 0 ] && printf '%s\n' "${matched[@]}"
}

# match_pids FILE: of the processes that our lines name
match_pids()
{
	local matched

	matching "$1" '^(exectrace: )?\[[0-9]+\] '
	matched=("${matched[@]#*\[}")
	matched=("${matched[@]%%\]*}")
	case ${#matched[@]} in
	0) ;;
	1) echo "${matched[0]}" ;;
	*) printf '%s\n' "${matched[@]}" | sort -u ;;
	esac
}

# match_pid FILE [N]: of match N (1)
match_pid()
{
	local matched pid

	matching "$1" "^exectrace: \[[0-9]*\] match ${2:-1}, "
	[ ${#matched[@]} = 0 ] || {
		pid=${matched[0]#*\[}
		echo "${pid%%\]*}"
	}
}

# check_picked ERRORS ACTION: one match and the right count; the action log prints a line of its own form
check_picked()
{
	if [ "$2" != log ]; then
		expect_lines 1 "$1" "^exectrace: \[[0-9]+\] match [0-9]+, " "one match line"
		expect_lines 1 "$1" "^exectrace: \[[0-9]+\] match 1, rule 1 \($2\): " "match 1, rule 1 ($2)"
	fi
	expect_lines 1 "$1" "^exectrace: 1 of [0-9]+ commands matched$" "the count at the end"
}

# check_strace LOG STATUSFILE: a whole log of one program from its first instruction
check_strace()
{
	local matched line calls=()

	matching "$1" ''
	for line in "${matched[@]}"; do
		case $line in
		'[ '* | 'strace: '*) ;;
		*) calls+=("$line") ;;
		esac
	done
	printf '%s\n' "${calls[@]}" >"$S/log.calls"
	printf '%s\n' "${calls[0]-}" >"$S/log.first"
	printf '%s\n' "${calls[@]: -1}" >"$S/log.last"
	expect_lines 1 "$S/log.first" '^(execve|execveat|brk|arch_prctl)\(' "the log begins with the program"
	expect_lines some "$S/log.calls" 'write\(1, ".*says( PICKME)?' "the log has the write of the program"
	expect_lines 1 "$S/log.last" '^\+\+\+ (exited with|killed by) ' "the log goes to the end"
	expect_lines 1 "$S/log.calls" '^\+\+\+ ' "the log has one process"
}

# told_pids: of the processes that said that they are to be picked
told_pids()
{
	local matched

	matching "$S/pids" ' PICKME'
	[ ${#matched[@]} = 0 ] || printf '%s\n' "${matched[@]%% *}"
}

# pick [OPTION]... NAME -- COMMAND...
# COMMAND with a rule for one process in it, once with strace and once with log: exactly that process is picked, from its
# beginning, and output and wait status are those of a plain run.
#   -r REGEX  what --cmd is given      -m "parent behind"  process models (parent)     -p 'KEY=VALUE...'  as for both
#   -n        its pid is not to be compared (pid namespaces)    -s  its environment has no PROG_LOG
pick()
{
	local OPTIND=1 opt name model flag regex=$PICK m=parent pids=1 action
	local under=()

	while getopts m:nr:p:s opt; do
		case $opt in
		m) m=$OPTARG ;;
		n | s) pids= ;;
		p) read -ra under <<<"$V/under $OPTARG --" ;;
		r) regex=$OPTARG ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	shift 2
	run_as plain "$@"
	for model in $m; do
		flag=
		[ "$model" = parent ] || flag=-D
		[ -z "$flag" ] || behind_can "$name (-D)" || continue
		for action in strace log; do
			begin "$name: $action${flag:+ (-D)}"
			pick_one $action "$flag" "$regex" "$@"
			[ -z "$pids" ] || expect_equal "$(match_pids "$S/picked.err")" \
				"$(told_pids)" "the pid is the program's"
			end
		done
	done
}

# pick_undumpable NAME -- COMMAND...: as pick; but an ordinary user may not look into a process that is not dumpable (ptrace(2)) unless
# it is traced already, as with the engine ptrace: then it is not picked, and nothing is changed.
pick_undumpable()
{
	local name=$1

	if [ "$ENGINE" != notify ] || is_root; then
		pick "$@"
		return
	fi
	shift 2
	run_as plain "$@"
	run_as picked "$EXECTRACE" --engine="$ENGINE" --run=log --cmd="$PICK" -- "$@"
	begin "$name: not for an ordinary user"
	expect_same "$S/picked.status" "$S/plain.status" "same wait status"
	expect_as_plain picked
	expect_lines 1 "$S/picked.err" '^exectrace: 0 of [0-9]+ commands matched' "it is not picked"
	end
}

# pick_one ACTION FLAG REGEX COMMAND...
pick_one()
{
	local action=$1 flag=$2 regex=$3 run=$1 logs

	shift 3
	rm -f "$S"/strace.* "$S/pids"
	(umask 0 && : >"$S/pids")
	[ "$action" != strace ] || run="strace -o $S/strace.{pid}"
	PROG_LOG=$S/pids run_as picked "$EXECTRACE" --engine="$ENGINE" $flag --run="$run" --cmd="$regex" -- "$@"
	[ -z "$flag" ] || wait_for 30 has "$S/picked.err" 'commands matched'
	expect_same "$S/picked.status" "$S/plain.status" "same wait status"
	expect_as_plain picked
	check_picked "$S/picked.err" "$action"
	if [ "$action" = strace ]; then
		logs=$(printf '%s\n' "$S"/strace.*)
		expect_equal "$logs" "$S/strace.$(match_pid "$S/picked.err")" "one strace log, named by the pid"
		[ -z "$flag" ] || wait_for 30 has "$logs" '^\+\+\+ '
		check_strace "$logs"
	else
		[[ $(match_pids "$S/picked.err") =~ ^[0-9]+$ ]]
		result $? "the line of log" "$S/picked.err"
	fi
}

# --- The processes of exectrace --------------------------------------------------------------------------------------

run_number=0
program=

# new_run: what is started from now on with ET_RUN=$ET_RUN in its environment is found by `ours`; no other test has the same.
# Whoever waits for its output must not see that of the run before, which is there until it has opened the files.
new_run()
{
	rm -f "$S/out" "$S/err"
	run_number=$((run_number + 1))
	ET_RUN=$ET_TEST-$run_number.
	[ -n "$program" ] || program=$(realpath "$EXECTRACE")
}

# ours: the pids of exectrace in this run, the supervisor first (its helpers have names of their own, but for a tool that is about to be
# executed: so the oldest; numbers may wrap)
ours()
{
	local file pid stat name

	for file in $(grep -lsaF "ET_RUN=$ET_RUN" /proc/[0-9]*/environ); do
		pid=${file#/proc/}
		pid=${pid%/environ}
		[ "/proc/$pid/exe" -ef "$program" ] || continue
		read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
		# shellcheck disable=SC2086 # words: the 20th behind the name is its beginning
		set -- ${stat##*)}
		{ read -r name <"/proc/$pid/comm"; } 2>/dev/null || continue
		echo "$name ${20} $pid"
	done | sort -k 1,1 -k 2,2n -k 3,3n | cut -d ' ' -f 3
}

none_left()
{
	[ -z "$(ours)" ]
}

# --- Actions ---------------------------------------------------------------------------------------------------------

# A tree in which one program is picked; it says what became of it.
TREE="$V/proggdb a; $V/proggdb -x 3 -e GIVEN PICKME; echo status \$?; $V/proggdb c"

# act RUN [OPTION...]: the tree with this action for the one program. Leaves act.out, act.err and act.status. To be called between begin
# and end; checks what holds for every action: the tree goes on as without us, one match, one line.
act()
{
	local run=$1

	shift
	[ -e "$S/plain.tree" ] || {
		driver='' run_as plain sh -c "$TREE"
		cp "$S/plain.out" "$S/plain.tree"
	}
	run_as act "$EXECTRACE" --engine="$ENGINE" "$@" --run="$run" --cmd='^\S*proggdb .*PICKME' -- sh -c "$TREE"
	expect_same "$S/act.out" "$S/plain.tree" "the tree's output"
	expect_lines 1 "$S/act.status" ' exit 0$' "the tree's status"
	check_picked "$S/act.err" "${run%% *}"
}
