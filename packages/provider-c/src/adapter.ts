import { type Adapter, plainText } from "@insurance-gateway/adapter";
import { soapDialect } from "@insurance-gateway/adapter/soap";
import type { FailureRow } from "@insurance-gateway/core/contract";
import { namespace, path, usageRows } from "./dialect.ts";
import { providerC } from "./provider.ts";

/** The format of a documented SOAP fault. SOAP 1.1 has the status 500; some servers send 400 for a client's fault. */
const errorFormat = {
  status: [400, 500],
  media: "text/xml",
  at: "/fault/detail/serviceFault/errorCode",
  why: "A fault with the insurer's own code in its detail is a refusal of the operation.",
} as const;

const failures: readonly FailureRow[] = [
  { ...errorFormat, is: ["E101"], code: "APPLICATION_NOT_FOUND", outcome: "rejected" },
  { ...errorFormat, is: ["E102", "E103"], code: "INVALID_INPUT", outcome: "rejected" },
  { ...errorFormat, is: ["E301"], code: "BROKER_LIMIT_EXCEEDED", outcome: "rejected" },
  { ...errorFormat, is: ["E403"], code: "NOT_ALLOWED", outcome: "rejected" },
  { ...errorFormat, is: ["E503"], code: "PROVIDER_UNAVAILABLE", outcome: "rejected" },
];

/** The adapter for Provider C's own API, modelled on insurers' publications and never run against an insurer. */
export const adapter: Adapter = soapDialect(providerC, {
  failures,
  path,
  namespace,
  calls: {
    listVehicleUsages: {
      operation: "listVehicleUsages",
      value: [{ list: ["/items", "/usage"], each: usageRows }],
    },
    downloadIpid: {
      operation: "getApplicationDocument",
      body: [
        ["/query/applicationId", "/applicationId", plainText],
        { theirs: "/documentType", always: "IPID" },
      ],
      document: {
        base64: "/pdfContent",
        mediaType: "application/pdf",
        size: "/pdfSize",
        notReady: { at: "/status", is: ["PENDING"] },
      },
    },
  },
});
