import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FakeSupervisor, startBoth, startSupervisor } from "./fake-processes.ts";

/** How long the timers wait, in milliseconds. */
function waitsOf({ timers }: FakeSupervisor): readonly number[] {
  return [...timers].map(({ milliseconds }) => milliseconds);
}

describe("the time of a process", () => {
  it("to start is two minutes, and is over once it serves", async () => {
    const supervisor = startSupervisor();
    expect(waitsOf(supervisor)).toEqual([120_000]);
    await supervisor.at(0).serves();
    await supervisor.at(1).exits(0);
    expect(waitsOf(supervisor)).toEqual([0]);
  });

  it("is named with the process when it is over, which is killed", async () => {
    const supervisor = startSupervisor();
    await supervisor.pass(120_000);
    expect(supervisor.at(0).signals).toEqual(["SIGKILL"]);
    expect([supervisor.lines, supervisor.fields]).toEqual([
      ["a process did not start or end in time"],
      [{ pid: 100 }],
    ]);
  });

  it("to start goes on when all are to end, and then begins the time to end", async () => {
    const supervisor = startSupervisor();
    await supervisor.at(0).serves();
    await supervisor.signal("SIGTERM");
    expect(new Set(waitsOf(supervisor))).toEqual(new Set([120_000, 75_000]));
    await supervisor.at(1).serves();
    expect(waitsOf(supervisor)).toEqual([75_000, 75_000]);
    await supervisor.pass(75_000);
    expect(supervisor.at(1).signals).toEqual(["SIGTERM", "SIGKILL"]);
  });

  it("to end is the one that it names when it ends before it serves, which is no failure", async () => {
    const supervisor = startSupervisor();
    await supervisor.at(0).serves();
    await supervisor.signal("SIGTERM");
    await supervisor.at(1).sends({ type: "ending", endsWithinMs: 5_000 });
    expect(waitsOf(supervisor)).toEqual([75_000, 15_000]);
    await supervisor.at(0).exits(0);
    await supervisor.at(1).exits(null, "SIGTERM");
    expect(supervisor.code).toBe(0);
  });

  it("to end does not begin again with another signal", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGTERM");
    const before = [...supervisor.timers];
    await supervisor.signal("SIGINT");
    expect([...supervisor.timers].every((timer) => before.includes(timer))).toBe(true);
    expect(supervisor.at(0).signals).toEqual(["SIGTERM", "SIGTERM"]);
    await supervisor.at(0).exits(0);
    await supervisor.at(1).exits(0);
    expect(waitsOf(supervisor)).toEqual([]);
  });

  it("to end begins when it was asked to, whatever it reports before", async () => {
    const supervisor = await startBoth();
    await supervisor.at(1).sends({ type: "ending", endsWithinMs: 1_000 });
    expect(waitsOf(supervisor)).toEqual([]);
    await supervisor.signal("SIGTERM");
    expect(waitsOf(supervisor)).toEqual([75_000, 11_000]);
  });
});

describe("a process that runs", () => {
  it("goes on when something else of it fails", async () => {
    const supervisor = await startBoth();
    await supervisor.at(1).reports(new Error("kill EPERM"));
    expect([supervisor.lines, supervisor.timers.size]).toEqual([[], 0]);
  });

  it("reloads at once for a SIGHUP, also when it has had one before", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGHUP");
    await supervisor.signal("SIGHUP");
    expect(supervisor.at(1).signals).toEqual(["SIGHUP", "SIGHUP"]);
  });

  it("is sent nothing when its channel is closed", async () => {
    const supervisor = await startBoth();
    supervisor.at(0).disconnects();
    await supervisor.signal("SIGUSR2");
    await supervisor.at(2).serves();
    expect(supervisor.at(0).sent).toEqual([]);
  });
});

describe("a question of a process", () => {
  const ready = { type: "ask", name: "ready" } as const;

  it("is asked of all that serve, and their answers are passed back in the order of their start", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGUSR2");
    await supervisor.at(1).sends({ ...ready, id: 7 });
    await supervisor.at(0).sends({ ...ready, id: 7 });
    const questions = [1, 2].map((id) => ({ type: "question", id, name: "ready" }));
    expect([0, 1, 2].map((index) => supervisor.at(index).sent)).toEqual([questions, questions, []]);
    await supervisor.at(1).sends({ type: "answer", id: 2, answer: false });
    await supervisor.at(1).sends({ type: "answer", id: 1, answer: "first" });
    await supervisor.at(0).sends({ type: "answer", id: 1, answer: "second" });
    await supervisor.at(0).sends({ type: "answer", id: 2, answer: true });
    expect(supervisor.at(1).sent.slice(2)).toEqual([
      { type: "answers", id: 7, answers: ["second", "first"] },
    ]);
    expect(supervisor.at(0).sent.slice(2)).toEqual([
      { type: "answers", id: 7, answers: [true, false] },
    ]);
  });

  it("is answered after two seconds without those that have not answered", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const supervisor = await startBoth();
    await supervisor.at(0).sends({ ...ready, id: 1 });
    await supervisor.at(0).sends({ type: "answer", id: 1, answer: true });
    vi.advanceTimersByTime(1_999);
    await supervisor.pass(0);
    expect(supervisor.at(0).sent.slice(1)).toEqual([]);
    vi.advanceTimersByTime(1);
    await supervisor.pass(0);
    expect(supervisor.at(0).sent.slice(1)).toEqual([{ type: "answers", id: 1, answers: [true] }]);
  });

  it("is answered at once without a process that ends, and without one that has no answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const supervisor = await startBoth();
    await supervisor.at(0).sends({ ...ready, id: 1 });
    await supervisor.at(0).sends({ type: "answer", id: 1 });
    await supervisor.at(1).exits(1);
    expect(supervisor.at(0).sent.slice(1)).toEqual([{ type: "answers", id: 1, answers: [] }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a connection that a process was handed and has not accepted when it ends", () => {
  const answered = (connection: number, accepted: boolean): object => ({
    cmd: "NODE_CLUSTER",
    ack: connection,
    accepted,
  });

  it("is another process's, where one serves", async () => {
    const supervisor = await startBoth();
    const ended = supervisor.at(1);
    ended.isHanded(4);
    ended.isHanded(5);
    ended.accepts(4);
    await ended.exits(null, "SIGKILL");
    ended.closes();
    expect(ended.connections).toEqual([{ ack: 4 }, answered(5, false)]);
  });

  it("is closed where no other process serves", async () => {
    const supervisor = startSupervisor();
    const ended = supervisor.at(0);
    await ended.serves();
    ended.isHanded(4);
    ended.closes();
    expect(ended.connections).toEqual([answered(4, true)]);
    const others = await startBoth();
    const last = others.at(1);
    last.isHanded(4);
    await others.at(0).exits(1);
    last.closes();
    expect(last.connections).toEqual([answered(4, true)]);
  });
});
