import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider F. */
export const providerF: Provider<typeof endpoints> = defineProvider({
  id: "provider-f",
  name: "Provider F",
  lines: [],
  endpoints,
});
