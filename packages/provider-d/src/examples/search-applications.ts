import type { Examples } from "@insurance-gateway/core/contract";
import type { searchApplications } from "../endpoints/index.ts";
import { receivedApplication } from "./application.ts";

export const searchApplicationsExamples: Examples<typeof searchApplications> = {
  firstPage: {
    summary: "The first twenty applications of a customer",
    request: { query: { clientAfm: "123456789", start: 1, limit: 20 } },
    response: { items: [receivedApplication], start: 1, limit: 20, total: 1 },
  },
};
