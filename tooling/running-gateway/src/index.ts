export { type GatewayFolder, makeGatewayFolder, sandboxConfiguration } from "./folder.ts";
export {
  developmentToken,
  type Ended,
  type GatewayProcess,
  runCommand,
  startGatewayProcess,
} from "./process.ts";
