import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../harness/connect.ts";
import { listBrands } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { problem } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

/** Returns the wait in seconds that the client reads from a `Retry-After` at 08:49:37.25 on 6 November 2044. */
async function secondsOf(retryAfter: string): Promise<unknown> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2044, 10, 6, 8, 49, 37, 250) });
  onTestFinished(() => void vi.useRealTimers());
  const server = await scriptedServer(problem({ retry: "never" }, { "retry-after": retryAfter }));
  const failure = await failureOf(connect(server.address).call(listBrands));
  expect(failure).toHaveProperty("name", "ProblemError");
  return Reflect.get(Object(failure), "retryAfterSeconds");
}

describe("the header Retry-After", () => {
  it.each([
    ["0", 0],
    ["7", 7],
    ["007", 7],
    ["99999", 99_999],
    ["Sun, 06 Nov 2044 08:50:37 GMT", 60],
    ["Mon, 07 Nov 2044 12:36:16 GMT", 99_999],
    ["Sunday, 06-Nov-44 08:50:37 GMT", 60],
    ["Sun Nov  6 08:50:37 2044", 60],
  ])("the client converts Retry-After to seconds: %j is %i", async (retryAfter, seconds) => {
    expect(await secondsOf(retryAfter)).toBe(seconds);
  });

  it.each([
    "",
    "100000",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    "Infinity",
    "5, 7",
    "soon",
    "2044-11-06T08:50:37Z",
    "Sun, 06 Nov 2044 08:49:37 GMT",
    "Sun, 06 Nov 2044 07:50:37 GMT",
    "Sun, 06 Nov 2044 08:50:37 +0200",
    "Sun, 06 Nov 2044 08:50:37",
    "Sun, 06 Nov 2044 28:50:37 GMT",
    "Mon, 07 Nov 2044 12:36:17 GMT",
    "Fri, 31 Dec 9999 23:59:59 GMT",
  ])(
    "the client ignores a Retry-After that is malformed, in the past or more than 99,999 seconds ahead: %j",
    async (retryAfter) => {
      expect(await secondsOf(retryAfter)).toBeNull();
    },
  );
});
