import * as z from "zod/mini";
import type { PageQuery, Schema } from "../../src/contract/index.ts";
import { afm, date, decimal, loose, openEnum, strict, text, zod } from "../../src/schema/index.ts";

export interface Holder {
  afm: string;
  fullName: string;
}

export interface PolicyRequest {
  startDate: string;
  endDate: string;
  holder: Holder;
  note?: string;
}

export interface Policy {
  policyId: string;
  status: string;
  premium: string | null;
}

export interface BrandList {
  items: string[];
}

export interface PolicySearch extends PageQuery {
  clientAfm: string;
}

export const policyRequest: Schema<PolicyRequest> = strict<PolicyRequest>(
  {
    startDate: date(),
    endDate: date(),
    holder: zod(strict<Holder>({ afm: afm(), fullName: text() })),
    note: z.exactOptional(text()),
  },
  {
    path: ["endDate"],
    code: "DATE_ORDER",
    message: "must be after startDate",
    holds: (period) => period.endDate > period.startDate,
  },
);

export const policy: Schema<Policy> = loose<Policy>({
  policyId: text(),
  status: openEnum("ISSUED", "CANCELLED"),
  premium: z.nullable(decimal()),
});

/** Schema of a path or query whose only parameter is the id of a policy. */
export const policyPath: Schema<{ policyId: string }> = strict<{ policyId: string }>({
  policyId: text(),
});

/** A valid request with invented personal data. */
export const policyBody: PolicyRequest = {
  startDate: "2026-12-01",
  endDate: "2027-12-01",
  holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
};

/** A valid answer to the request `policyBody`. */
export const issuedPolicy: Policy = { policyId: "M-1", status: "ISSUED", premium: "250.00" };
