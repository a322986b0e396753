-- A script for wrk: sends the requests of a file in turn and prints the measurements.
-- Arguments: the file, the prefix of the idempotency keys, and optionally the word "count", which
-- counts the successful responses and those with Retry-After.
-- The file starts with the number of requests. Each request follows as its length in bytes, a line
-- feed and its bytes.
local KEY = "KEY-OF-THIS-REQUEST-----------------"
local heads, tails = {}, {}
local sent = 0
local prefix
local thread
-- The counts of the sending thread. They are global because `done` can read only globals.
good, refused, counts = 0, 0, false

function setup(started)
  thread = started
end

function init(arguments)
  -- 24 characters. With twelve digits, a key is as long as KEY, so Content-Length stays correct.
  prefix = arguments[2]
  if arguments[3] == "count" then
    counts = true
    function response(status, headers)
      if status < 400 then
        good = good + 1
      elseif status == 429 or status == 503 then
        for name in pairs(headers) do
          if name:lower() == "retry-after" then refused = refused + 1 end
        end
      end
    end
  end
  local file = assert(io.open(arguments[1], "rb"))
  for number = 1, file:read("*n") do
    local length = file:read("*n")
    file:read(1)
    local text = file:read(length)
    local first, last = text:find(KEY, 1, true)
    heads[number] = first and text:sub(1, first - 1) or text
    tails[number] = first and text:sub(last + 1) or false
  end
  file:close()
end

function request()
  local number = sent % #heads + 1
  sent = sent + 1
  if tails[number] then
    return heads[number] .. prefix .. string.format("%012d", sent) .. tails[number]
  end
  return heads[number]
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.timeout + errors.connect + errors.read + errors.write
  io.write(string.format(
    "RESULT {\"requests\":%d,\"seconds\":%f,\"p50\":%f,\"p99\":%f,\"failed\":%d,\"good\":%d,\"refused\":%d}\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    broken + (thread:get("counts") and 0 or errors.status), thread:get("good"), thread:get("refused")
  ))
end
