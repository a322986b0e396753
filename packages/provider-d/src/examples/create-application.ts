import type { Examples } from "@insurance-gateway/core/contract";
import type { createApplication } from "../endpoints/index.ts";
import { receivedApplication } from "./application.ts";

export const createApplicationExamples: Examples<typeof createApplication> = {
  privateCar: {
    summary: "A private car, insured for a year",
    request: {
      body: {
        policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
        vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
        holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
      },
    },
    response: receivedApplication,
  },
};
