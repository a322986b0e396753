import { openAddress } from "./address.ts";
import { openArrivalLog } from "./arrival-log.ts";
import { createConnections } from "./connections.ts";
import type { FaultName } from "./fault-names.ts";
import type { FaultInjectingInsurer, FaultInjectingInsurerOptions } from "./insurer.ts";
import { createPlan } from "./plan.ts";
import { createReception } from "./reception.ts";

/**
 * Starts an insurer on loopback that does its work until it is told to fail, and writes down every request that
 * reaches it before it does anything with it.
 * @throws what the system says when the log or the port cannot be opened, such as EADDRINUSE
 */
export async function startFaultInjectingInsurer(
  options: FaultInjectingInsurerOptions,
): Promise<FaultInjectingInsurer> {
  const log = openArrivalLog(options.log);
  const plan = createPlan();
  const connections = createConnections();
  const reception = createReception({ execute: options.execute, log, plan, connections });
  const address = await openAddress(options.port ?? 0, (socket) => reception.accept(socket)).catch(
    (error: unknown) => {
      log.close();
      throw error;
    },
  );

  async function behave(fault: FaultName | null): Promise<void> {
    plan.stand(fault);
    if (fault !== "refuse") {
      await Promise.all([address.listen(), connections.closeIdle()]);
      return;
    }
    const refused = address.refuse();
    connections.destroyBusy();
    await Promise.all([refused, connections.closeIdle()]);
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await behave("refuse");
    log.close();
    if (reception.failures.length > 0) throw reception.failures[0];
  }

  return {
    baseUrl: address.baseUrl,
    behave,
    script(...faults) {
      if (faults.includes("refuse"))
        throw new TypeError('No single request can meet "refuse": say behave("refuse") instead');
      plan.script(faults);
    },
    arrivals: () => log.arrivals(),
    nextArrival: () => reception.nextArrival(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
