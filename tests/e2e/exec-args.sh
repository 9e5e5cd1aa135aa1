#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arguments and environments of any size and content pass unchanged.
. "$(dirname "$0")/../lib.sh"

for kind in million many bytes edge environ; do
	both "arguments: $kind" -- "$V/bigargs" $kind "$V/dump"
	both "arguments: $kind, in a child" -- sh -c "$V/bigargs $kind $V/dump; echo \$?"
done
both "arguments of a script: bytes" -- sh -c "printf '#!$V/dump\n' >script; chmod 755 script; exec $V/bigargs bytes ./script"
both "one argument of 128 KiB less one" -- sh -c "exec $V/dump \"\$(head -c 131071 /dev/zero | tr '\\0' a)\""
both "one argument too long" -- sh -c "exec $V/dump \"\$(head -c 131072 /dev/zero | tr '\\0' a)\" 2>&1"
finish
