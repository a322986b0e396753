export { openRecords, type RecordStore } from "./records.ts";
export { createSandboxServer, type SandboxServerOptions } from "./server.ts";
