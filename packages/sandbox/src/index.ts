export { openRecords, type Records } from "./records.ts";
export { createSandboxServer, type SandboxServerOptions } from "./server.ts";
