import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider K. */
export const providerK: Provider<typeof endpoints> = defineProvider({
  id: "provider-k",
  name: "Provider K",
  lines: [],
  endpoints,
});
