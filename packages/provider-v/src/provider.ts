import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider V. */
export const providerV: Provider<typeof endpoints> = defineProvider({
  id: "provider-v",
  name: "Provider V",
  lines: [],
  endpoints,
});
