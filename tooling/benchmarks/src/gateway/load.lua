-- Sends the requests of a file in turn and prints what wrk measured.
-- The file: how many requests there are; then the length of each in bytes, a line feed, and its bytes.
local KEY = "KEY-OF-THIS-REQUEST-----------------"
local heads, tails = {}, {}
local sent = 0
local prefix

function init(arguments)
  -- 24 characters: with twelve digits they are as long as the word above, so that Content-Length stays right.
  prefix = arguments[2]
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
  io.write(string.format(
    "RESULT {\"requests\":%d,\"seconds\":%f,\"p50\":%f,\"p99\":%f,\"failed\":%d}\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.errors.status + summary.errors.timeout
  ))
end
