import { greekPlate, type Submission, submission } from "@insurance-gateway/core/contract";
import { type Application, application } from "../schemas/application.ts";
import { type MotorApplication, motorApplication } from "../schemas/motor-application.ts";

/**
 * Creates a motor application. Source: specification, endpoint 4.
 * @el Αίτηση ασφάλισης αυτοκινήτου
 */
export const createApplication: Submission<{ body: MotorApplication; response: Application }> =
  submission({
    provider: "provider-d",
    path: "/applications",
    body: motorApplication,
    response: { 201: application },
    insurerId: "/applicationId",
    idempotency: "reconcile",
    reconcile: {
      endpoint: "searchApplications",
      parameters: { clientAfm: { from: "/holder/afm" } },
      createdAt: "/createdAt",
    },
    same: [
      "/policy/startDate",
      "/policy/endDate",
      { at: "/vehicle/plateNumber", normaliser: greekPlate },
      "/holder/afm",
    ],
    settleAfterMs: 60_000,
    closedWhen: { at: "/status", is: ["DECLINED", "CANCELLED", "EXPIRED"] },
  });
