import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider U. */
export const providerU: Provider<typeof endpoints> = defineProvider({
  id: "provider-u",
  name: "Provider U",
  lines: [],
  endpoints,
});
