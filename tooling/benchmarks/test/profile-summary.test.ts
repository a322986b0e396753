import { expect, it } from "vitest";
import { summaryOf } from "../src/gateway/profile-summary.ts";

const frame = (id: number, functionName: string, url: string): object => ({
  id,
  callFrame: { functionName, url },
});

it("a summary has the share of each module and function, without what was idle or came before", () => {
  const profile = {
    nodes: [
      frame(1, "(idle)", ""),
      frame(2, "parse", "file:///project/node_modules/.pnpm/undici@8/node_modules/undici/lib/a.js"),
      frame(3, "handle", "file:///project/apps/gateway/src/listener/handle.ts"),
      frame(4, "(garbage collector)", ""),
    ],
    startTime: 1_000,
    samples: [2, 3, 1, 2, 3, 4],
    timeDeltas: [500, 500, 100, 60, 30, 10],
  };
  const summary = summaryOf(JSON.parse(JSON.stringify(profile)), 2_001);
  const rowsOf = (text: string): readonly string[] =>
    [...text.matchAll(/^\| (?!module|function|---)(.+) \|$/gm)].map(([, row = ""]) => row);
  expect(rowsOf(summary)).toEqual([
    "undici | 60.0",
    "gateway/src/listener | 30.0",
    "(V8) | 10.0",
    "parse undici/lib/a.js | 60.0",
    "handle src/listener/handle.ts | 30.0",
    "(garbage collector)  | 10.0",
  ]);
});
