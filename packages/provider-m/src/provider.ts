import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider M. */
export const providerM: Provider<typeof endpoints> = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: [],
  endpoints,
});
