import { openAddress, portsToKeep } from "./address.ts";
import { openArrivalLog } from "./arrival-log.ts";
import { createConnections } from "./connections.ts";
import type { FaultName } from "./fault-names.ts";
import type { FaultInjectingInsurer, FaultInjectingInsurerOptions } from "./insurer.ts";
import { createPlan } from "./plan.ts";
import { createReception } from "./reception.ts";

/**
 * Starts an insurer on loopback that works normally until a test sets a fault. The insurer logs every request before
 * handling the request.
 * @throws an Error if another insurer uses the log, or the system's error if the log or the port cannot be opened,
 * such as EADDRINUSE
 */
export async function startFaultInjectingInsurer(
  options: FaultInjectingInsurerOptions,
): Promise<FaultInjectingInsurer> {
  const log = openArrivalLog(options.log);
  const plan = createPlan();
  const connections = createConnections();
  const reception = createReception({ options, log, plan, connections });
  const ports = options.port ? [options.port] : portsToKeep();
  const address = await openAddress(ports, (socket) => reception.accept(socket)).catch(
    (error: unknown) => {
      log.close();
      throw error;
    },
  );

  async function applyFault(fault: FaultName | null): Promise<void> {
    if (fault !== "refuse") {
      await Promise.all([address.listen(), connections.closeIdle()]);
      return;
    }
    await Promise.all([address.refuse(), connections.destroyBusy(), connections.closeIdle()]);
  }

  let last: Promise<unknown> = Promise.resolve();
  function setFault(fault: FaultName | null): Promise<void> {
    plan.setFault(fault);
    // Faults are applied one after the other, because a port that is being opened cannot be closed.
    const applied = last.then(() => applyFault(fault));
    last = applied.catch(() => undefined);
    return applied;
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await setFault("refuse");
    reception.end(closedError());
    log.close();
    if (reception.failures.length > 0) throw reception.failures[0];
  }

  return {
    baseUrl: address.baseUrl,
    async behave(fault) {
      if (closing !== undefined) throw closedError();
      await setFault(fault);
    },
    script(...faults) {
      if (closing !== undefined) throw closedError();
      if (faults.includes("refuse"))
        throw new TypeError('"refuse" must not be in a script: call behave("refuse") instead');
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

function closedError(): Error {
  return new Error("The insurer is closed");
}
