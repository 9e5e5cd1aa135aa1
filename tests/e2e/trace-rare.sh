#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that most programs do not make: the tracer's lines are strace's, to the letter, but for what differs from run to run. What a recording shows is what the text shows.
. "$(dirname "$0")/../lib.sh"
needs strace

# What straces after 6.1 show in another way, or in addition
version=$(strace -V | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
newer=()
if [ "$(printf '%s\n' 6.2 "$version" | sort -V | head -n 1)" = 6.2 ]; then
	newer=(-e 's/, disable_fm=0, need_resv_pool=0\}/}/' -e 's/, path_fd=[^,]*//'
		-e 's/(events=[^{}]*, data=)(\{u32=[0-9]+, u64=[0-9]+\}|0x[0-9a-f]+|ADDR|[0-9]+)/\1DATA/')
fi

# plain FILE: without what differs from run to run
plain()
{
	sed -E -n -e 's/^ *[0-9]+ +[0-9.]+ //' -e 's/ <[0-9.]+>$//' -e 's/ += / = /' -e '/^(clock_)?adjtime/,$p' "$1" |
		sed -E -e 's/0x[0-9a-f]{6,}/ADDR/g' -e 's/socket:\[[0-9]+\]/socket:[N]/g' \
			-e 's/(tv_n?u?sec|[a-z]+_[ascr]?[a-z]*time|(max|est)error|freq|offset|constant)=-?[0-9]+/\1=T/g' \
			-e 's/(nlmsg_|shm_[cl]|msg_l[sr]|)pid=-?[0-9]{2,}/\1pid=PID/g' -e 's/^(getpid\(\)|time\(NULL\)) = .*/\1/' \
			-e 's/^(kcmp)\([0-9]+, [0-9]+/\1(PID, PID/' -e 's/^(process_vm_[a-z]+)\([0-9]+/\1(PID/' -e 's/sin_port=htons\([0-9]{4,}\)/sin_port=PORT/' \
			-e 's/^((msg|sem|shm)[a-z]+)\([0-9]+/\1(ID/' -e 's/^((msg|sem|shm)(get|ctl).*) = [0-9]+/\1 = ID/' \
			-e 's/^(kcmp.*) = [0-9]+/\1 = N/' -e 's/^(msgrcv\(ID, ADDR, 5), 3,/\1,/' \
			-e 's/\|(0x200|MEMBARRIER_CMD_GET_REGISTRATIONS)\)$/)/' \
			-e 's/^syslog\((.*) = [0-9]+/syslog(\1 = N/' -e 's/"eth0".*//' -e 's/used_ids=.*//' -e 's/semusz=.*//' -e 's/msgpool=.*//' \
			-e 's/(ifc_len=[0-9]+).*/\1/' "${newer[@]}" -e '/^(set([^_hs]|s[^o])|exit|brk|mmap|munmap)/d'
}

# [style=OPTIONS] [options=OPTIONS] like VICTIM CALL [ARGUMENT]: its last one. The style is that of both, the other options are ours alone.
# Through i386's ipc() strace leaves out the type of a message when msgrcv fails.
like()
{
	begin "$1${3+ $3}${style:+ $style}"
	# shellcheck disable=SC2086 # words
	strace -f -y ${style-} -ttt -T -o "$S/theirs.raw" "$V/$1" "${@:3}" >"$S/out" 2>&1
	et -q --run="trace ${style-} ${options-} --output=$S/ours.raw" --first -- "$V/$1" "${@:3}" >"$S/out" 2>&1
	plain "$S/theirs.raw" >"$S/theirs"
	plain "$S/ours.raw" >"$S/ours"
	# strace asks the kernel for the family of a netlink socket, which an old one cannot tell without a module.
	! grep -qF 'NLMSG_???' "$S/theirs" || sed -i '/nlmsg_seq=77/d' "$S/theirs" "$S/ours"
	expect "the victim made its calls" grep -q "^$2" "$S/theirs"
	expect_same "$S/ours" "$S/theirs" "the text is strace's"
	end
}

# answered VICTIM CALL: likewise, when the tracer lets each ioctl succeed; with all members of structures, and without
answered()
{
	for letter in -y -v; do
		begin "$1, answered, $letter"
		strace -f $letter -y -ttt -T -e inject=ioctl:retval=7 -o "$S/theirs.raw" "$V/$1" >"$S/out" 2>&1
		et -q --run="trace $letter --inject=ioctl:retval=7 --output=$S/ours.raw" --first -- "$V/$1" >"$S/out" 2>&1
		plain "$S/theirs.raw" >"$S/theirs"
		plain "$S/ours.raw" >"$S/ours"
		expect "the victim made its calls" grep -q "^$2" "$S/theirs"
		expect_same "$S/ours" "$S/theirs" "the text is strace's"
		end
	done
}

# recorded VICTIM
recorded()
{
	begin "$1, recorded"
	et -q --run="trace --format=data --output=$S/log.xtr" --first -- "$V/$1" >"$S/out" 2>&1
	"$EXECTRACE" syscalls "$S/log.xtr" >"$S/listed"
	expect "a message is recorded" grep -q 'nlmsg_type=RTM_NEWADDR.*ifa_family=AF_UNSPEC' "$S/listed"
	expect "a request about an interface is recorded" grep -q 'SIOCGIFINDEX, {ifr_name="lo", ifr_ifindex=1}' "$S/listed"
	end
}

style=
like rarecalls 'ptrace(PTRACE_ATTACH'
recorded rarecalls
if has_victim rarecalls32 rarecalls32; then
	like rarecalls32 'ptrace(PTRACE_ATTACH'
	recorded rarecalls32
fi
like oddcalls 'sendto(.*RTM_DELACTION'
like devcalls 'sendto(.*NFT_MSG_NEWTABLE'
style=-v like devcalls 'sendto(.*PACKET_DIAG_FILTER}, \[BPF_STMT(BPF_LD|BPF_H|BPF_ABS'
! has_victim devcalls32 devcalls32 || like devcalls32 'send(.*NFT_MSG_NEWTABLE'
like structures 'ioctl(-1, VIDIOC_S_EXT_CTRLS, {.*} => {.*error_idx='
answered structures 'ioctl(-1, VIDIOC_S_FMT, {.*} => {.*= 7'
if has_victim structures32 structures32; then
	like structures32 'ioctl(-1, VIDIOC_S_EXT_CTRLS, {.*} => {.*error_idx='
	answered structures32 'ioctl(-1, VIDIOC_S_FMT, {.*} => {.*= 7'
fi
# Random calls; SEED=N adds a seed.
if [ -z "${newer[*]}" ]; then
	for seed in 1 2 3 ${SEED-}; do
		options=--source=stops like pagecalls 'sched_setaffinity(0, 4' "$seed"
	done
else
	skip_case "pagecalls" "strace $version has other names of random flags than 6.1"
fi
like netcalls 'sendto(.*NLMSG_ERROR'
! has_victim netcalls32 netcalls32 || like netcalls32 'send(.*NLMSG_ERROR'
# Programs with 32 bits make socket calls through socketcall(2).
list='adjtimex,prctl,arch_prctl,keyctl,personality,mount,ioprio_set,quotactl,memfd_create,socket,setsockopt,seccomp,?socketcall'
for look in "" "-v" "-v -Xraw" "-v -Xverbose"; do
	style="-e trace=$list $look" like optcalls 'seccomp(.*filter='
	! has_victim optcalls32 optcalls32 || style="-e trace=$list $look" like optcalls32 'seccomp(.*filter='
done
# Of an ordinary user exectrace sets no_new_privs, and seccomp(2) goes on.
style="-e trace=adjtimex,prctl,keyctl -e inject=prctl:retval=131089" like optcalls 'prctl(PR_SET_SECCOMP'
like kernelcalls 'mount_setattr(.*bytes 32..39'
! has_victim kernelcalls32 kernelcalls32 || like kernelcalls32 'mount_setattr(.*bytes 32..39'
finish
