export type { Ipid, IpidManufacturer } from "./ipid.ts";
export {
  type AnySandbox,
  type AnySandboxHandler,
  type Clock,
  defineSandbox,
  type InsurerProblem,
  type Sandbox,
  type SandboxAnswer,
  type SandboxContent,
  type SandboxHandler,
  type SandboxHandlers,
  type SandboxRecord,
  type SandboxRequest,
  type SandboxScenario,
  scenarioOf,
} from "./sandbox.ts";
