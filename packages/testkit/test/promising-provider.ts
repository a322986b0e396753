import {
  dateText,
  type JsonCall,
  type JsonDialect,
  type JsonLogin,
  type Mapping,
  plainText,
} from "@insurance-gateway/adapter";
import {
  type Document,
  defineProvider,
  document,
  type FailureRow,
  type Normaliser,
  type OpenEnum,
  type PageQuery,
  type Provider,
  pdf,
  type ReconcileDeclaration,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  date,
  instant,
  loose,
  openEnum,
  pageQuery,
  strict,
  text,
} from "@insurance-gateway/core/schema";

export interface Policy {
  plate: string;
  holder: string;
  make: string;
  from: string;
}
export interface Issued extends Policy {
  policyId: string;
  status: OpenEnum<"ISSUED" | "DECLINED">;
  createdAt: string;
  changedAt: string;
}
interface PolicySearch extends PageQuery {
  holder: string;
}
interface Settings {
  brokerCode: string;
}
export interface Endpoints {
  readonly createPolicy: Submission<{ body: Policy; response: Issued }>;
  readonly findPolicies: Search<{ query: PolicySearch; item: Issued }>;
  readonly terms: Document<{ query: { id: string } }>;
}
const fields = { plate: text(), holder: text(), make: text(), from: date() };
const issued = loose<Issued>({
  ...fields,
  policyId: text(),
  status: openEnum("ISSUED", "DECLINED"),
  createdAt: instant(),
  changedAt: instant(),
});
const normaliser: Normaliser = {
  name: "plate",
  normalise: (plate) => plate.replaceAll(/[\s-]/g, ""),
  examples: [["ΙΚΥ-1234", "ΙΚΥ 1234"]],
};

export const reconcile: ReconcileDeclaration = {
  endpoint: "findPolicies",
  parameters: { holder: { from: "/holder" } },
  createdAt: "/createdAt",
};
export const createPolicy: Endpoints["createPolicy"] = submission({
  provider: "provider-m",
  path: "/policies",
  body: strict<Policy>(fields),
  response: { 201: issued },
  insurerId: "/policyId",
  idempotency: "reconcile",
  reconcile,
  same: [{ at: "/plate", normaliser }, "/holder", "/from"],
  settleAfterMs: 60_000,
  closedWhen: { at: "/status", is: ["DECLINED"] },
});
const findPolicies: Endpoints["findPolicies"] = search({
  provider: "provider-m",
  path: "/policies/search",
  query: strict<PolicySearch>({ holder: text(), ...pageQuery() }),
  item: issued,
});
const terms: Endpoints["terms"] = document({
  provider: "provider-m",
  path: "/terms",
  query: strict<{ id: string }>({ id: text() }),
  files: [pdf],
});

export const provider: Provider<Endpoints> = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  settings: strict<Settings>({ brokerCode: text() }),
  endpoints: { createPolicy, findPolicies, terms },
});

export const policyRows: Mapping = [
  ["/plate", "/car", plainText],
  ["/holder", "/name", plainText],
  ["/make", "/make", plainText],
  ["/from", "/since", dateText("dd/MM/yyyy")],
];
export const issuedRows: Mapping = [
  ...policyRows,
  ["/policyId", "/number", plainText],
  ["/status", "/state"],
  ["/createdAt", "/made"],
  ["/changedAt", "/changed"],
];

export const calls: Readonly<Record<keyof Endpoints, JsonCall>> = {
  createPolicy: {
    method: "POST",
    path: "/api/policies",
    headers: [["/settings/brokerCode", "/x-broker", plainText]],
    body: [
      { group: ["/body", ""], fields: policyRows },
      ["/submissionId", "/reference", plainText],
    ],
    value: issuedRows,
  },
  findPolicies: {
    method: "GET",
    path: "/api/policies",
    query: [
      ["/query/holder", "/name", plainText],
      ["/page/position", "/offset"],
      ["/page/size", "/limit"],
    ],
    pages: {
      style: "offset",
      from: 0,
      most: 50,
      items: "/list",
      each: issuedRows,
      total: "/count",
    },
    byReference: { path: "/api/references/{/submissionId}", item: issuedRows },
  },
  terms: {
    method: "GET",
    path: "/api/terms/{/query/id}",
    document: { base64: "/file", mediaType: "application/pdf" },
  },
};

const rejected = { at: "/code", outcome: "rejected", why: "The manual says so." } as const;
export const failures: readonly [FailureRow, FailureRow, FailureRow] = [
  { ...rejected, status: 422, is: ["M-22"], code: "BROKER_LIMIT_EXCEEDED" },
  { ...rejected, status: 400, is: ["M-00"], code: "INVALID_INPUT" },
  {
    ...rejected,
    status: 401,
    media: "application/json",
    is: ["M-01"],
    code: "PROVIDER_AUTH_FAILED",
  },
];
export const login: JsonLogin = {
  path: "/api/login",
  body: [
    ["/username", "/user", plainText],
    ["/password", "/password", plainText],
  ],
  token: "/token",
  expiresIn: "/seconds",
};
export const dialectOf: JsonDialect<Provider<Endpoints>> = { failures, login, calls };
