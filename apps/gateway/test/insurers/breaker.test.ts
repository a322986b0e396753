import { beforeEach, describe, expect, it } from "vitest";
import type { AttemptResult } from "../../src/events.ts";
import { type Breaker, createBreaker } from "../../src/insurers/resilience/breaker.ts";

const settings = {
  failuresInRow: 5,
  failurePercent: 50,
  leastCalls: 20,
  windowMs: 30_000,
  openMs: 30_000,
  longestOpenMs: 300_000,
};

let now: number;
let breaker: Breaker;
beforeEach(() => {
  now = 1_000_000;
  breaker = createBreaker(
    () => settings,
    () => now,
  );
});

function call(result: AttemptResult): boolean {
  const admission = breaker.admit(false);
  if (admission.admitted) admission.settle(result);
  return admission.admitted;
}

function calls(count: number, result: AttemptResult): void {
  for (let number = 0; number < count; number += 1) call(result);
}

describe("a breaker opens", () => {
  it("after five failures in a row, and not after four", () => {
    calls(4, "failed");
    expect(breaker.state()).toBe("closed");
    call("failed");
    expect(breaker.state()).toBe("open");
    expect(breaker.admit(false)).toEqual({ admitted: false, retryInMs: 30_000 });
  });

  it("also where callers leave in between: that says nothing about the insurer", () => {
    calls(4, "failed");
    calls(8, "cancelled");
    call("failed");
    expect(breaker.state()).toBe("open");
  });

  it("not while an answer comes in between", () => {
    for (let round = 0; round < 4; round += 1) {
      calls(4, "failed");
      calls(8, "answered");
    }
    expect(breaker.state()).toBe("closed");
  });

  it("when half of at least twenty calls in thirty seconds fail", () => {
    for (let round = 0; round < 9; round += 1) {
      call("failed");
      call("answered");
    }
    call("answered");
    expect(breaker.state(), "of 19 calls").toBe("closed");
    call("failed");
    expect(breaker.state(), "of 20 calls").toBe("open");
  });

  it.each([
    // The window slides by three seconds at a time.
    [26_999, "open"],
    [30_000, "closed"],
  ])("%i ms after the other failures, by then it is %s", (later, state) => {
    for (let round = 0; round < 9; round += 1) {
      call("failed");
      call("answered");
    }
    now += later;
    call("answered");
    call("failed");
    expect(breaker.state()).toBe(state);
  });

  it("never because callers go away, or answers cannot be used", () => {
    calls(100, "cancelled");
    calls(100, "unusable");
    expect(breaker.state()).toBe("closed");
  });
});

describe("an open breaker", () => {
  beforeEach(() => calls(5, "failed"));

  it("lets one call try when its time is over, and the others wait for no answer", () => {
    now += 29_999;
    expect(breaker.admit(false)).toEqual({ admitted: false, retryInMs: 1 });
    now += 1;
    expect(breaker.state()).toBe("half_open");
    const tried = breaker.admit(false);
    expect(tried.admitted).toBe(true);
    expect(breaker.admit(false)).toEqual({ admitted: false, retryInMs: 1_000 });
    if (tried.admitted) tried.settle("answered");
    expect(breaker.state()).toBe("closed");
    expect(call("answered")).toBe(true);
  });

  it("lets a submission try only when for as long again no other call has", () => {
    now += 30_000;
    expect(breaker.admit(true)).toEqual({ admitted: false, retryInMs: 30_000 });
    now += 30_000;
    expect(breaker.admit(true).admitted).toBe(true);
  });

  it("is closed by an answer that cannot be used: somebody is there", () => {
    now += 30_000;
    call("unusable");
    expect(breaker.state()).toBe("closed");
  });

  it("stays open twice as long each time the try fails, up to five minutes", () => {
    for (const open of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      expect(breaker.closedForMs(false)).toBe(open);
      now += open;
      call("failed");
    }
  });

  it("begins again with thirty seconds once it was closed", () => {
    now += 30_000;
    call("failed");
    now += 60_000;
    call("answered");
    calls(5, "failed");
    expect(breaker.closedForMs(false)).toBe(30_000);
  });

  it("is closed by a probe that the insurer answers, whatever it answers, and by no other", () => {
    const probe = (result: AttemptResult): string => {
      const admission = breaker.admitProbe();
      if (admission.admitted) admission.settle(result);
      return breaker.state();
    };
    expect(probe("failed")).toBe("open");
    expect(breaker.closedForMs(false), "its own time goes on").toBe(30_000);
    expect(probe("cancelled")).toBe("open");
    expect(probe("unusable")).toBe("closed");
    calls(5, "failed");
    expect(probe("answered")).toBe("closed");
  });

  it("says once that the insurer works again", () => {
    let closings = 0;
    breaker = createBreaker(
      () => settings,
      () => now,
      () => {
        closings += 1;
      },
    );
    calls(5, "failed");
    now += 30_000;
    expect(closings).toBe(0);
    calls(3, "answered");
    expect(closings).toBe(1);
  });

  it("forgets, once it is closed, what opened it", () => {
    breaker = createBreaker(
      () => settings,
      () => now,
    );
    for (let round = 0; round < 10; round += 1) {
      call("answered");
      call("failed");
    }
    expect(breaker.state()).toBe("open");
    const probe = breaker.admitProbe();
    if (probe.admitted) probe.settle("answered");
    call("failed");
    expect(breaker.state()).toBe("closed");
  });

  it("lets another call try when the caller of the first has gone", () => {
    now += 30_000;
    call("cancelled");
    expect(breaker.state()).toBe("half_open");
    expect(call("answered")).toBe(true);
    expect(breaker.state()).toBe("closed");
  });
});

it("what was sent before the breaker opened says nothing about the insurer after", () => {
  const early = breaker.admit(false);
  calls(5, "failed");
  now += 30_000;
  call("answered");
  calls(4, "failed");
  if (early.admitted) early.settle("failed");
  expect(breaker.state()).toBe("closed");
});

it("what was sent before the breaker closed says nothing about the insurer after", () => {
  calls(5, "failed");
  now += 30_000;
  const trial = breaker.admit(false);
  const probe = breaker.admitProbe();
  const late = breaker.admitProbe();
  if (probe.admitted) probe.settle("answered");
  if (trial.admitted) trial.settle("failed");
  expect(breaker.state(), "though the trial failed").toBe("closed");
  if (late.admitted) late.settle("failed");
  calls(4, "failed");
  expect(breaker.state(), "nor does the late probe count").toBe("closed");
});
