export { type GatewayFolder, makeGatewayFolder, sandboxConfiguration } from "./folder.ts";
export {
  developmentToken,
  type Ended,
  endOf,
  type GatewayProcess,
  makeStoreOnce,
  programEnvironment,
  runCommand,
  startGatewayProcess,
} from "./process.ts";
export { type SandboxGateway, startSandboxGateway } from "./sandbox-gateway.ts";
