/** The command `insurance-gateway`, for tests that use the gateway as an operator or a caller does. */
// @boundaries-ignore the gateway does not depend on its command, which depends on it
export { reportFailure } from "../../../cli/src/call/call-failure.ts";
// @boundaries-ignore the gateway does not depend on its command, which depends on it
export { type RunInProcess, runsInProcess } from "../../../cli/test/in-process.ts";
// @boundaries-ignore the gateway does not depend on its command, which depends on it
export { program, runsIn } from "../../../cli/test/program.ts";
