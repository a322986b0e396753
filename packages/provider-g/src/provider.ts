import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider G. */
export const providerG: Provider<typeof endpoints> = defineProvider({
  id: "provider-g",
  name: "Provider G",
  lines: [],
  endpoints,
});
