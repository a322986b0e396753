import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { downloadIpid } from "../../endpoints/index.ts";
import type { KeptApplication } from "../application.ts";
import { ipidOf } from "../ipid.ts";

export const downloadIpidHandler: SandboxHandler<typeof downloadIpid, KeptApplication> = (
  { input: { query }, scenario },
  records,
) => {
  if (scenario === "DOCUMENT_NOT_READY")
    return {
      status: 409,
      headers: { "retry-after": "5" },
      problem: {
        code: "DOCUMENT_NOT_READY",
        detail: "The insurer is still creating the document.",
      },
    };
  const found = records.find(({ id }) => id === query.applicationId);
  if (found === undefined)
    return {
      status: 404,
      problem: { code: "APPLICATION_NOT_FOUND", detail: "The insurer holds no such application." },
    };
  return { status: 200, document: ipidOf(found) };
};
