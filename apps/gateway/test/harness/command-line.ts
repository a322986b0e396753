/** The command `insurance-gateway`, for tests of what an operator or a caller sees of the gateway. */
// @boundaries-ignore the gateway does not depend on its command, which depends on it
export { reportFailure } from "../../../cli/src/call/call-failure.ts";
// @boundaries-ignore the same
export { type RunInProcess, runsInProcess } from "../../../cli/test/in-process.ts";
// @boundaries-ignore the same
export { program, runsIn } from "../../../cli/test/program.ts";
