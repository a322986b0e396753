import { type Document, document, pdf } from "@insurance-gateway/core/contract";
import { type IpidRequest, ipidRequest } from "../schemas/ipid-request.ts";

/**
 * Downloads an application's Insurance Product Information Document, a PDF. Source: specification, endpoint 7.
 * @el Λήψη εγγράφου πληροφοριών προϊόντος (IPID)
 */
export const downloadIpid: Document<{ query: IpidRequest }> = document({
  provider: "provider-c",
  path: "/application/ipid",
  query: ipidRequest,
  files: [pdf],
  fileName: "ipid",
});
