export type { Adapter, InsurerAnswer, InsurerRequest } from "./adapter.ts";
export { declared } from "./declared.ts";
