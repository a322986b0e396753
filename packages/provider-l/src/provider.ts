import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider L. */
export const providerL: Provider<typeof endpoints> = defineProvider({
  id: "provider-l",
  name: "Provider L",
  lines: [],
  endpoints,
});
