import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider Q. */
export const providerQ: Provider<typeof endpoints> = defineProvider({
  id: "provider-q",
  name: "Provider Q",
  lines: [],
  endpoints,
});
