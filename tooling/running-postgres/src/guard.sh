# Ends the server and removes its folder when the process that started this script ends, for any
# reason. That process holds standard input open. Each line it writes is the id of the server
# process; an empty line means that no server runs.
folder=$1
process=
while read -r line; do process=$line; done

# Whether the process with this id is still the server, whose command line contains the folder.
# After the server has ended, another process may get its id. Some Linux systems have no `ps`, and
# macOS has no `/proc`.
is_named() {
  {
    if [ -r "/proc/$1/cmdline" ]; then tr '\0' ' ' <"/proc/$1/cmdline"; else ps -ww -o args= -p "$1"; fi
  } 2>/dev/null | grep -qF -- "$folder"
}

if [ -n "$process" ] && is_named "$process"; then
  # QUIT is an immediate shutdown, in which the server ends its backends itself. CONT wakes a paused
  # server.
  kill -QUIT "$process"
  kill -CONT "$process"
fi

# A killed server leaves a segment of shared memory behind as its lock. This file has its id.
segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid" 2>/dev/null)
if [ -n "$segment" ]; then ipcrm -m "$segment" 2>/dev/null; fi

# A server that is ending may still write, so this retries. It kills paused backends after five seconds.
for attempt in 1 2 3 4 5 6 7 8 9; do
  rm -rf "$folder" 2>/dev/null && exit 0
  sleep 1
done
exit 1
