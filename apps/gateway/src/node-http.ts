/**
 * Node's module `node:http`. An `import` of it would run every getter of the module, and the one of `WebSocket` loads all of
 * Node's own HTTP client: 27 ms of a start, and 3 MB at rest.
 */
export const http: typeof import("node:http") = process.getBuiltinModule("node:http");
