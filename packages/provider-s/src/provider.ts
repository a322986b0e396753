import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider S. */
export const providerS: Provider<typeof endpoints> = defineProvider({
  id: "provider-s",
  name: "Provider S",
  lines: [],
  endpoints,
});
