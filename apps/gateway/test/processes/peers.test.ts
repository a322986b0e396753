import { fork } from "node:child_process";
import { on, once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { FromProcess, ToProcess } from "../../src/processes/peers.ts";

const program = fileURLToPath(new URL("peers-process.ts", import.meta.url));

it("a process asks the others, answers their questions, and has five seconds of notice once it is replaced", async () => {
  const child = fork(program, [], {
    execArgv: ["--conditions=@insurance-gateway/source"],
    env: { ...process.env, GATEWAY_START_SECRET: "secret-of-this-start" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages = on(child, "message");
  const next = async (): Promise<FromProcess> => (await messages.next()).value?.[0];
  const send = (message: ToProcess): void => void child.send(message);

  expect([await next(), await next()]).toEqual([
    { type: "ask", id: 1, name: "ready" },
    { type: "ask", id: 2, name: "answers" },
  ]);
  // It does not serve yet.
  send({ type: "question", id: 8, name: "ready" });
  expect(await next()).toEqual({ type: "answer", id: 8 });

  send({ type: "answers", id: 2, answers: [[]] });
  send({ type: "answers", id: 1, answers: [true, false] });
  const serving = await next();
  const greeting = JSON.stringify({
    number: 0,
    startSecret: "secret-of-this-start",
    isSecretLeft: false,
    ready: [true, false],
    answers: [[]],
  });
  expect(serving).toEqual({ type: "serving", greeting, endsWithinMs: 0 });

  const names = ["ready", "metrics", "providers", "answers"] as const;
  for (const [index, name] of names.entries()) send({ type: "question", id: 20 + index, name });
  const answers = [await next(), await next(), await next(), await next()];
  expect(
    answers.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  ).toEqual([
    { type: "answer", id: 20, answer: true },
    { type: "answer", id: 21 },
    { type: "answer", id: 22, answer: { items: [], at: "now" } },
    { type: "answer", id: 23, answer: [] },
  ]);

  send({ type: "replaced" });
  expect(await next()).toEqual({ type: "ending", endsWithinMs: 5_000 });
  // Without its supervisor, it reports to nobody.
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
});
