import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider A: motor insurance, the list of vehicle brands. */
export const providerA: Provider<typeof endpoints> = defineProvider({
  id: "provider-a",
  name: "Provider A",
  lines: ["motor"],
  endpoints,
});
