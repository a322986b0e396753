import { defineProvider, type Provider } from "../../src/contract/index.ts";
import * as endpoints from "./endpoints.ts";

export * from "./endpoints.ts";
export * from "./schemas.ts";

/** A fictional motor insurer with an endpoint of every kind. */
export const providerM: Provider<typeof endpoints> = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  endpoints,
});
