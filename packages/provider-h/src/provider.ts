import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider H. */
export const providerH: Provider<typeof endpoints> = defineProvider({
  id: "provider-h",
  name: "Provider H",
  lines: [],
  endpoints,
});
