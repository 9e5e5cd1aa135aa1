#!/bin/sh
# Waits for a server, and gives up.
tries=0
while ! test -S run/server.sock; do
	tries=$((tries + 1))
	if [ $tries -gt 5 ]; then
		echo "client: no answer" >&2
		exit 3
	fi
	sleep 0.3
done
