import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

/** Provider C: motor insurance, the vehicle usages and the product information document of an application. */
export const providerC: Provider<typeof endpoints> = defineProvider({
  id: "provider-c",
  name: "Provider C",
  lines: ["motor"],
  endpoints,
});
