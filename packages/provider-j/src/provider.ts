import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider J. */
export const providerJ: Provider<typeof endpoints> = defineProvider({
  id: "provider-j",
  name: "Provider J",
  lines: [],
  endpoints,
});
