# Ends the server and removes its folder when the process that started this ends, for any reason.
# Standard input is held open by them; each line names the process to end, an empty one none.
folder=$1
process=
while read -r line; do process=$line; done

# Whether a process is the one that was named, which has the folder in its command: once that has
# ended, its id may be another's. Linux may lack `ps`, and macOS has no `/proc`.
is_named() {
  {
    if [ -r "/proc/$1/cmdline" ]; then tr '\0' ' ' <"/proc/$1/cmdline"; else ps -ww -o args= -p "$1"; fi
  } 2>/dev/null | grep -qF -- "$folder"
}

if [ -n "$process" ] && is_named "$process"; then
  # An immediate shutdown, in which the server ends its backends itself; the second signal is for a
  # paused one.
  kill -QUIT "$process"
  kill -CONT "$process"
fi

# A killed server leaves its lock on the data as a segment of shared memory, named in this file.
segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid" 2>/dev/null)
if [ -n "$segment" ]; then ipcrm -m "$segment" 2>/dev/null; fi

# Again while a server that is ending still writes; it ends paused backends after five seconds.
for attempt in 1 2 3 4 5 6 7 8 9; do
  rm -rf "$folder" 2>/dev/null && exit 0
  sleep 1
done
exit 1
