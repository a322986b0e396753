# Ends the server and removes its folder when whoever started this goes away, however it goes.
# Standard input is held open by them; each line names the process to end, an empty one none.
folder=$1
while read -r line; do process=$line; done

if [ -n "$process" ]; then
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
