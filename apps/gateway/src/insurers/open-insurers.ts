import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { Time } from "../time.ts";
import { createRecording, type Recording } from "./drift/recording.ts";
import { startDriftWatch } from "./drift/watch.ts";
import { createAnswerBudget } from "./exchange/answer-budget.ts";
import type { InsurerParts } from "./insurer.ts";
import { connectInsurers, type Insurers } from "./insurers.ts";
import type { MaintenancePlan } from "./resilience/maintenance.ts";

/** What the insurers of a gateway are opened with. */
export interface OpenInsurersParts
  extends Pick<InsurerParts, "logger" | "observation" | "openTransport" | "readAccount"> {
  /** The configuration that counts now. */
  readonly configuration: () => Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly time: Time;
}

/** The insurers of a gateway, and the parts that look at their answers. */
export interface OpenInsurers {
  readonly insurers: Insurers;
  /** How many bytes of insurers' answers are in memory. */
  readonly answerBytes: () => number;
  readonly recording: Pick<Recording, "examples">;
  /** Compares the answers that wait for it, then closes the insurers. */
  readonly close: () => Promise<void>;
}

/** Opens the insurers. Their answers are compared with the declarations, and recorded while an operator asks for it. */
export async function openInsurers({
  configuration,
  installed,
  maintenance,
  time,
  ...parts
}: OpenInsurersParts): Promise<OpenInsurers> {
  const { observation } = parts;
  const answerBudget = createAnswerBudget(() => configuration().limits.answerBytes);
  const recording = createRecording(time);
  const drift = startDriftWatch({
    samplePercent: () => configuration().drift.samplePercent,
    time,
    differs: (endpoint, difference) => observation.drifted(endpoint, difference),
  });
  const insurers = await connectInsurers(configuration(), installed, {
    ...parts,
    received(observed, endpoint, answer) {
      drift.received(observed, endpoint, answer);
      recording.received(observed, endpoint, answer);
    },
    now: () => time.elapsed(),
    recovered: (segment, account) => observation.insurerRecovered(segment, account),
    answerBudget,
    maintainedMs: (segment) => (maintenance.current(segment)?.to ?? time.now()) - time.now(),
  });
  return {
    insurers,
    answerBytes: () => answerBudget.held(),
    recording,
    async close() {
      await drift.stop();
      await insurers.close();
    },
  };
}
