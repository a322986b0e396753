import { onTestFinished, vi } from "vitest";
import { json } from "./replies.ts";
import { scriptedServer } from "./scripted-server.ts";
import { send } from "./send.ts";

/** Stops timers and `performance.now()` for the rest of the test, which moves them on itself; connections work on. */
export async function holdTime(): Promise<void> {
  // undici keeps one timer for the whole process. It must begin here: begun in held time, it would never tick again.
  const { address } = await scriptedServer(json({}));
  await (await send(address)).body.text(100);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
