import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import type { HeldTime } from "../harness/held-time.ts";

/**
 * Moves the test's clock, so that the gateway notices changed files and reads the same content twice, a second apart.
 */
export async function reloadWhenSettled(time: HeldTime): Promise<void> {
  time.forward(60_000);
  await time.tick();
  time.forward(1_000);
  await time.tick();
}

/** Reloads a gateway whose clock only the test advances, and returns the result. */
export async function reloadNow(
  gateway: Pick<GatewayInProcess, "reload">,
  time: HeldTime,
): ReturnType<GatewayInProcess["reload"]> {
  const result = gateway.reload();
  await time.tick();
  time.forward(1_000);
  await time.tick();
  return result;
}
