/** Provider package that changes a policy in two ways, confirms a policy without a body, and adds notes. */
export const CHANGES_PACKAGE: string = `
import { defineProvider, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const params = strict({ policyId: z.string() });
const response = { 200: loose({ policyId: z.string() }) };
const body = strict({ colour: z.string() });
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    changePolicy: submission({ provider, method: "PUT", path: "/policies/{policyId}", params, body, response }),
    movePolicy: submission({ provider, method: "PATCH", path: "/policies/{policyId}", params, body, response }),
    confirmPolicy: submission({ provider, path: "/policies/{policyId}/confirmations", params, response }),
    addNote: submission({ provider, path: "/policies/{policyId}/notes", params, body, response, sameContent: "none" }),
  },
});`;
