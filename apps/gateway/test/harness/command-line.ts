/** The command `insurance-gateway`, for tests that use the gateway as an operator or a caller does. */
// @boundaries-ignore a dependency on the command would be circular: the command depends on the gateway
export { reportFailure } from "../../../cli/src/call/call-failure.ts";
// @boundaries-ignore a dependency on the command would be circular: the command depends on the gateway
export { type RunInProcess, runsInProcess } from "../../../cli/test/in-process.ts";
// @boundaries-ignore a dependency on the command would be circular: the command depends on the gateway
export { program, runsIn } from "../../../cli/test/program.ts";
