import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider O. */
export const providerO: Provider<typeof endpoints> = defineProvider({
  id: "provider-o",
  name: "Provider O",
  lines: [],
  endpoints,
});
