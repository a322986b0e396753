/**
 * The module `node:http`, loaded without `import`. An `import` would run every getter of the module, and the getter of
 * `WebSocket` loads Node's whole HTTP client, which costs 27 ms at the start and 3 MB of memory.
 */
export const http: typeof import("node:http") = process.getBuiltinModule("node:http");
