import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider R. */
export const providerR: Provider<typeof endpoints> = defineProvider({
  id: "provider-r",
  name: "Provider R",
  lines: [],
  endpoints,
});
