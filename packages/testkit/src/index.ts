export { type AdapterCall, callAdapter, type ScriptedAnswer } from "./adapter-call.ts";
export { type ConformanceSubject, conformanceFaults } from "./conformance.ts";
export type { FaultName } from "./insurer/fault-names.ts";
export { type FaultDescription, insurerFaults } from "./insurer/faults.ts";
export type {
  Arrival,
  FaultInjectingInsurer,
  FaultInjectingInsurerOptions,
  InsurerAnswer,
} from "./insurer/insurer.ts";
export { startFaultInjectingInsurer } from "./insurer/start.ts";
export type { InsurerRefusal } from "./refusal-faults.ts";
export { fittingValues } from "./values.ts";
