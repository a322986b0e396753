import * as z from "zod/mini";
import {
  type Document,
  document,
  type Lookup,
  lookup,
  pdf,
  type Quote,
  quote,
  type Read,
  read,
  type Search,
  type Submission,
  search,
  submission,
} from "../../src/contract/index.ts";
import { afm, loose, pageQuery, strict, text } from "../../src/schema/index.ts";
import {
  type BrandList,
  type Holder,
  type Policy,
  type PolicyRequest,
  type PolicySearch,
  policy,
  policyPath,
  policyRequest,
} from "./schemas.ts";

const provider = "provider-m";

export const listBrands: Lookup<{ response: BrandList }> = lookup({
  provider,
  path: "/brands",
  response: { 200: loose<BrandList>({ items: z.array(z.string()) }) },
});

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

export const cancelPolicy: Submission<{ params: { policyId: string }; response: Policy }> =
  submission({
    provider,
    method: "DELETE",
    path: "/policies/{policyId}",
    params: policyPath,
    response: { 200: policy },
  });

export const calculatePremium: Quote<{ body: Holder; response: Policy }> = quote({
  provider,
  path: "/premium",
  body: strict<Holder>({ afm: afm(), fullName: text() }),
  response: { 200: policy },
});

export const downloadTerms: Document<{ query: { policyId: string } }> = document({
  provider,
  path: "/terms",
  query: policyPath,
  files: [pdf],
  fileName: "terms",
});
