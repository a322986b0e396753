import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider B: travel insurance, the list of countries. */
export const providerB: Provider<typeof endpoints> = defineProvider({
  id: "provider-b",
  name: "Provider B",
  lines: ["travel"],
  endpoints,
});
