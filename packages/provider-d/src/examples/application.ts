import type { Application } from "../schemas/application.ts";

/** An application just after its receipt. */
export const receivedApplication: Application = {
  applicationId: "D-000001",
  status: "RECEIVED",
  statusReasons: [],
  policy: { startDate: "2026-12-01", endDate: "2027-12-01", policyNumber: null },
  vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
  holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
  premium: null,
  payment: null,
  documents: [],
  createdAt: "2026-11-21T08:00:00Z",
  updatedAt: "2026-11-21T08:00:00Z",
};
