import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider I. */
export const providerI: Provider<typeof endpoints> = defineProvider({
  id: "provider-i",
  name: "Provider I",
  lines: [],
  endpoints,
});
