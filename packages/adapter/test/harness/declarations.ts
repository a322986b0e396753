import {
  type Document,
  defineProvider,
  document,
  type PageQuery,
  type Provider,
  pdf,
  type Read,
  read,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  afm,
  date,
  decimal,
  loose,
  openEnum,
  pageQuery,
  strict,
  text,
  zod,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

interface Holder {
  afm: string;
  fullName: string;
}

interface PolicyRequest {
  startDate: string;
  endDate: string;
  holder: Holder;
  note?: string;
}

interface Policy {
  policyId: string;
  status: string;
  premium: string | null;
}

interface PolicySearch extends PageQuery {
  clientAfm: string;
}

const policyRequest: Schema<PolicyRequest> = strict<PolicyRequest>(
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

const policy: Schema<Policy> = loose<Policy>({
  policyId: text(),
  status: openEnum("ISSUED", "CANCELLED"),
  premium: z.nullable(decimal()),
});

/** The parameters of an endpoint for one policy: the policy's ID. */
const policyPath: Schema<{ policyId: string }> = strict<{ policyId: string }>({
  policyId: text(),
});

/** A valid request for a policy. The person does not exist. */
export const policyBody: PolicyRequest = {
  startDate: "2026-12-01",
  endDate: "2027-12-01",
  holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
};

const provider = "provider-m";

/** Declares the example provider with other endpoints. */
export function providerWith<Endpoints extends object>(endpoints: Endpoints): Provider<Endpoints> {
  return defineProvider({ id: provider, name: "M", lines: ["motor"], endpoints });
}

export const readPolicy: Read<{ params: { policyId: string }; response: Policy }> = read({
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  response: { 200: policy },
});

export const searchPolicies: Search<{ query: PolicySearch; item: Policy }> = search({
  provider,
  path: "/policies",
  query: strict<PolicySearch>({ clientAfm: afm(), ...pageQuery() }),
  item: policy,
});

export const createPolicy: Submission<{ body: PolicyRequest; response: Policy }> = submission({
  provider,
  path: "/policies",
  body: policyRequest,
  response: { 201: policy },
  idempotency: "reconcile",
  reconcile: {
    endpoint: "searchPolicies",
    parameters: { clientAfm: { from: "/holder/afm" } },
    createdAt: "/createdAt",
  },
  same: ["/startDate", "/endDate"],
  settleAfterMs: 60_000,
  insurerId: "/policyId",
});

export const downloadTerms: Document<{ query: { policyId: string } }> = document({
  provider,
  path: "/terms",
  query: policyPath,
  files: [pdf],
  fileName: "terms",
});
