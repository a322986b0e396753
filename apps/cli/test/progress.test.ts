import { describe, expect, it } from "vitest";
import { createProgress } from "../src/output/progress.ts";

describe("the progress of a command", () => {
  it("a command shows progress in one line of the terminal, and updates the line at most five times a second", () => {
    const written: string[] = [];
    let now = 0;
    const terminal = { isTTY: true, write: (text: string) => written.push(text) };
    const progress = createProgress(terminal, () => now);
    for (now = 0; now <= 400; now += 50) progress.update(`${now} of 400 rows`);
    progress.end();
    const clear = "\r\u001b[2K";
    expect(written).toEqual([
      `${clear}0 of 400 rows`,
      `${clear}200 of 400 rows`,
      `${clear}400 of 400 rows`,
      clear,
    ]);
  });

  it("a command shows no progress if standard error is not a terminal", () => {
    const written: string[] = [];
    const progress = createProgress({ isTTY: false, write: (text: string) => written.push(text) });
    progress.update("1 of 2 rows");
    progress.end();
    expect(written).toEqual([]);
  });
});
