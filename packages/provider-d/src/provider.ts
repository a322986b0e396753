import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider D: motor insurance, applications and their search. */
export const providerD: Provider<typeof endpoints> = defineProvider({
  id: "provider-d",
  name: "Provider D",
  lines: ["motor"],
  endpoints,
});
