import type { Configuration } from "../configuration/load.ts";

/** The limits of a configuration, as lines of a table. */
export function limitLines({
  limits,
  providers,
  submissions,
}: Configuration): readonly (readonly [string, string])[] {
  const range = (values: readonly number[], unit: string): string => {
    const least = Math.min(...values);
    const most = Math.max(...values);
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
    ["JSON body", `${limits.bodyBytes / 1_024} kB`],
    ["Depth of a JSON body", `${limits.jsonDepth} levels`],
    ["All headers together", `${limits.headerBytes / 1_024} kB`],
    ["Token", `${limits.tokenBytes / 1_024} kB`],
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
