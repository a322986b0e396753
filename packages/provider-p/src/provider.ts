import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider P. */
export const providerP: Provider<typeof endpoints> = defineProvider({
  id: "provider-p",
  name: "Provider P",
  lines: [],
  endpoints,
});
