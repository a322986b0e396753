import type { Configuration } from "../configuration/load.ts";
import { inBytes } from "../http/quantities.ts";

/** The limits of a configuration, as lines of a table. */
export function limitLines({
  accounts: { quotas },
  limits,
  providers,
  submissions,
}: Configuration): readonly (readonly [string, string])[] {
  const range = (values: readonly number[], unit: string): string => {
    const rounded = values.map((value) => Math.round(value * 10) / 10);
    const least = Math.min(...rounded);
    const most = Math.max(...rounded);
    return least === most ? `${least} ${unit}` : `${least} to ${most} ${unit}, by provider`;
  };
  const seconds = (pick: (provider: Configuration["providers"][number]) => number): string =>
    range(
      providers.map((provider) => pick(provider) / 1_000),
      "s",
    );
  const perMinute = providers.map(
    ({ callerLimit }) => (callerLimit.requests / callerLimit.windowSeconds) * 60,
  );
  return [
    ["Requests of one caller to one provider", range(perMinute, "a minute")],
    ...perDay("Requests of one account to one provider", quotas.requestsPerDay),
    ...perDay("Submissions of one account to one provider", quotas.submissionsPerDay),
    ["JSON body", inBytes(limits.bodyBytes)],
    ["Depth of a JSON body", `${limits.jsonDepth} levels`],
    ["All headers together", inBytes(limits.headerBytes)],
    ["Token", inBytes(limits.tokenBytes)],
    ["Items of a page of a search", "20, 100 at most"],
    [
      "A call that changes nothing",
      `answered within ${seconds(({ timeouts }) => timeouts.totalMs)}`,
    ],
    ["A submission", `answered within ${seconds(({ timeouts }) => timeouts.submissionMs)}`],
    ["Answers to submissions are kept", `${submissions.answerKeptHours} hours`],
    ["Their keys are remembered", `${submissions.hashKeptDays} days`],
  ];
}

/** A quota that all accounts have; one account may have another. */
function perDay(what: string, quota: number | undefined): readonly (readonly [string, string])[] {
  return quota === undefined ? [] : [[what, `${quota} a day, unless agreed otherwise`]];
}
