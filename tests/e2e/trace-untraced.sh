#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A child that asks not to be traced inherits the tracer's filter. Its calls go well all the same, and are shown.
. "$(dirname "$0")/../lib.sh"

for form in clone clone3 thread; do
	for options in --filter=openat "--filter=openat --no-follow" --no-follow "--source=inside --no-follow" ""; do
		begin "$form, ${options:-all calls}"
		run_as plain "$V/untraced" $form
		run_as traced "$EXECTRACE" --engine="$ENGINE" -q --run="trace $options --output=$S/log" --exe=untraced -- \
			"$V/untraced" $form
		expect_same "$S/traced.status" "$S/plain.status" "same wait status"
		expect_same "$S/traced.out" "$S/plain.out" "same output"
		case $options in
		*no-follow) expect_lines 0 "$S/log" '"/dev/null"' "its calls are not shown" ;;
		*) expect_lines 1 "$S/log" 'openat\(.*"/dev/null", O_RDONLY' "its call is shown" ;;
		esac
		end
	done
done

begin "all calls: the flag is shown as it was given"
"$EXECTRACE" -q --engine="$ENGINE" --run="trace --output=$S/log" --exe=untraced -- "$V/untraced" clone >"$S/out"
expect_lines 1 "$S/log" ' clone\(.*flags=CLONE_UNTRACED\|SIGCHLD' "clone"
"$EXECTRACE" -q --engine="$ENGINE" --run="trace --output=$S/log" --exe=untraced -- "$V/untraced" clone3 >"$S/out"
expect_lines 1 "$S/log" ' clone3\(\{flags=CLONE_UNTRACED' "clone3"
end

finish
