import type { Examples } from "@insurance-gateway/core/contract";
import type { downloadIpid } from "../endpoints/index.ts";

export const downloadIpidExamples: Examples<typeof downloadIpid> = {
  basicCover: {
    summary: "The document of an application for the basic cover",
    request: { query: { applicationId: "C-0001" } },
  },
};
