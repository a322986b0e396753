import { expect, it } from "vitest";
import type { Configuration } from "../../src/configuration/load.ts";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { limitLines } from "../../src/reference/open-reference.ts";

/** Returns the reference's lines about limits for providers with the given settings. */
function linesOf(
  providers: readonly object[],
  sections: object = {},
): ReturnType<typeof limitLines> {
  const file = configurationSchema.parse({
    providers: providers.map((one) => ({ package: "x", upstream: "sandbox", ...one })),
    ...sections,
  });
  // The function reads only the configuration file's content.
  return limitLines(file as unknown as Configuration);
}

it("the reference shows the limits of several providers as a range in readable units", () => {
  const lines = linesOf(
    [
      {
        callerLimit: { requests: 100, windowSeconds: 7 },
        timeouts: { totalMs: 1_250, submissionMs: 30_000 },
      },
      {
        callerLimit: { requests: 600, windowSeconds: 60 },
        timeouts: { totalMs: 15_000, submissionMs: 30_000 },
      },
    ],
    {
      accounts: { quotas: { requestsPerDay: 5_000, submissionsPerDay: 20 } },
      limits: { bodyBytes: 1_500, jsonDepth: 8, headerBytes: 8_192, tokenBytes: 2_048 },
      submissions: { answerKeptHours: 24, keyRetentionDays: 30 },
    },
  );
  expect(lines).toEqual([
    ["Requests of one caller to one provider", "600 to 857.1 a minute, by provider"],
    ["Requests of one account to one provider", "5000 a day, unless agreed otherwise"],
    ["Submissions of one account to one provider", "20 a day, unless agreed otherwise"],
    ["JSON body", "1500 bytes"],
    ["Depth of a JSON body", "8 levels"],
    ["All headers together", "8 kB"],
    ["Token", "2 kB"],
    ["Items on a page of a search", "20; maximum 100"],
    ["A call that is not a submission", "answered within 1.3 to 15 s, by provider"],
    ["A submission", "answered within 30 s"],
    ["Answers to submissions are stored for", "24 hours"],
    ["Idempotency keys of submissions are stored for", "30 days"],
  ]);
});

it("the reference has no line for a quota that no account has", () => {
  expect(linesOf([{}]).map(([what]) => what)).not.toEqual(
    expect.arrayContaining([expect.stringContaining("account")]),
  );
});
