-- Sends the requests of a file in turn and prints what wrk measured.
-- Arguments: the file; what each key begins with; and how many requests a second are due, as fast as possible without it.
-- The file: how many requests there are; then the length of each in bytes, a line feed, and its bytes.
local KEY = "KEY-OF-THIS-REQUEST-----------------"
-- No request is due while the connections are opened.
local OPENING_MS = 500
-- wrk's timers have whole milliseconds: only what is later than this is late.
local LATE_MS = 2
local heads, tails = {}, {}
local sent = 0
local prefix
local thread
-- Of the thread that sends; only a global can be read at the end.
late = 0

local ffi = require("ffi")
ffi.cdef("struct timeval { long seconds; long microseconds; }; int gettimeofday(struct timeval *, void *);")
local time = ffi.new("struct timeval")

local function milliseconds()
  ffi.C.gettimeofday(time, nil)
  return tonumber(time.seconds) * 1e3 + tonumber(time.microseconds) / 1e3
end

function setup(started)
  thread = started
end

-- When requests are due does not depend on answers: the times between them are random (a Poisson process), the same in
-- each run.
-- A connection that has its answer takes the next time and waits for it. All connections wait in the order of their times.
local function pace(per_second)
  local times, taken, begun = {}, 0, 0
  local next_request = request

  function delay()
    local now = milliseconds()
    local before = times[taken] or now + OPENING_MS
    taken = taken + 1
    times[taken] = before - math.log(1 - math.random()) * 1e3 / per_second
    return math.max(0, times[taken] - now)
  end

  function request()
    -- wrk asks for one before it opens connections.
    if taken > begun then
      begun = begun + 1
      if milliseconds() - times[begun] > LATE_MS then late = late + 1 end
    end
    return next_request()
  end
end

function init(arguments)
  if arguments[3] then pace(tonumber(arguments[3])) end
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
  local errors = summary.errors
  local late = thread:get("late")
  -- wrk counts the latency from sending. As if every late request had taken longest: no more than 1 % takes longer than this.
  local ninety_nine = math.min(99.999, 99 + 100 * late / summary.requests)
  io.write(string.format(
    "RESULT {\"requests\":%d,\"seconds\":%f,\"p50\":%f,\"p99\":%f,\"failed\":%d,\"late\":%d}\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(ninety_nine) / 1e3,
    errors.status + errors.timeout + errors.connect + errors.read + errors.write, late
  ))
end
