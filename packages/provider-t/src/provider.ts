import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider T. */
export const providerT: Provider<typeof endpoints> = defineProvider({
  id: "provider-t",
  name: "Provider T",
  lines: [],
  endpoints,
});
