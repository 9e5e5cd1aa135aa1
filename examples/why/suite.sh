#!/bin/sh
# A test suite of two tests. One of them needs a server that nobody has started.
cd "$(dirname "$0")" || exit 1
grep -q nosuch suite-of-words 2>/dev/null || true
sh ./client.sh
