# gdb commands for a process that was just picked: it has not run one instruction of its own yet, so breakpoints come
# first, then `continue` (not `run`).
set pagination off
break count_stream
continue
backtrace
finish
continue
