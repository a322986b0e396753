import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider W. */
export const providerW: Provider<typeof endpoints> = defineProvider({
  id: "provider-w",
  name: "Provider W",
  lines: [],
  endpoints,
});
