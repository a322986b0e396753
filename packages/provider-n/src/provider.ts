import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider N. */
export const providerN: Provider<typeof endpoints> = defineProvider({
  id: "provider-n",
  name: "Provider N",
  lines: [],
  endpoints,
});
