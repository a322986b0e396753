import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider E: life insurance and pensions, the pension quote. */
export const providerE: Provider<typeof endpoints> = defineProvider({
  id: "provider-e",
  name: "Provider E",
  lines: ["life", "pension"],
  endpoints,
});
