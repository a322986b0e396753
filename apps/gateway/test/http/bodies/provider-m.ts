import {
  type Document,
  defineProvider,
  document,
  type FilePart,
  type Provider,
  pdf,
  type Read,
  read,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { file, loose, strict, zod, zodSchema } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "provider-m";
const params = strict<{ claimId: string }>({ claimId: z.string() });
interface Done {
  readonly done: boolean;
}
const done = loose<Done>({ done: z.boolean() });
const response = { 200: done };

interface Reason {
  readonly reason: string;
}
const reason = strict<Reason>({ reason: z.string() });

interface Login {
  readonly user: string;
  readonly attempts: number;
  readonly roles: readonly string[];
}
const login = strict<Login>({ user: z.string(), attempts: z.int(), roles: z.array(z.string()) });

interface Evidence {
  readonly note: string;
  readonly place: Reason;
  readonly photo: FilePart;
  readonly more?: readonly FilePart[];
}
const evidence = strict<Evidence>({
  note: z.string(),
  place: zod(reason),
  photo: file({ mediaTypes: ["image/png", "image/jpeg"], maxBytes: 10_485_760 }),
  more: z.exactOptional(z.array(file({ maxBytes: 1_024 }))),
});

interface Params {
  readonly claimId: string;
}
interface Endpoints {
  withdrawClaim: Submission<{ params: Params; body: Reason | undefined; response: Done }>;
  patchClaim: Submission<{ params: Params; body: Reason; response: Done }>;
  checkLogin: Read<{ body: Login; response: Done }>;
  describeClaim: Submission<{ params: Params; body: string; response: Done }>;
  scanClaim: Submission<{ params: Params; body: FilePart; response: Done }>;
  addEvidence: Submission<{ params: Params; body: Evidence; response: Done }>;
  readPhoto: Read<{ body: Evidence; response: Done }>;
  noteClaim: Submission<{ params: Params; body: Reason | string; response: Done }>;
  importClaims: Submission<{ body: Reason; response: Done }>;
  downloadPhoto: Document<{ params: Params }>;
  printClaim: Document<{ body: Reason }>;
  readNote: Read<{ params: Params; response: Reason | string }>;
  readState: Read<{ params: Params; response: "OPEN" | "CLOSED" }>;
}

const endpoints: Endpoints = {
  withdrawClaim: submission({
    provider,
    method: "DELETE",
    path: "/claims/{claimId}",
    params,
    body: { required: false, media: { "application/json": reason } },
    response,
  }),
  patchClaim: submission({
    provider,
    method: "PATCH",
    path: "/claims/{claimId}",
    params,
    body: { media: { "application/merge-patch+json": reason } },
    response,
  }),
  checkLogin: read({
    provider,
    method: "POST",
    path: "/logins",
    body: { media: { "application/x-www-form-urlencoded": login } },
    response,
  }),
  describeClaim: submission({
    provider,
    method: "PUT",
    path: "/claims/{claimId}/description",
    params,
    body: { media: { "text/plain": zodSchema(z.string().check(z.maxLength(200))) } },
    response,
    sameContent: "none",
  }),
  scanClaim: submission({
    provider,
    path: "/claims/{claimId}/scans",
    params,
    body: { media: { "application/pdf": zodSchema(file()) }, maxBytes: 100_000 },
    response,
  }),
  addEvidence: submission({
    provider,
    path: "/claims/{claimId}/evidence",
    params,
    body: { media: { "multipart/form-data": evidence } },
    response,
  }),
  readPhoto: read({
    provider,
    method: "POST",
    path: "/photos",
    body: { media: { "multipart/form-data": evidence } },
    response,
  }),
  noteClaim: submission({
    provider,
    path: "/claims/{claimId}/notes",
    params,
    body: { media: { "application/json": reason, "text/plain": zodSchema(z.string()) } },
    response,
    sameContent: "none",
  }),
  importClaims: submission({
    provider,
    path: "/imports",
    body: { media: { "application/json": reason }, maxBytes: 1_048_576 },
    response,
  }),
  downloadPhoto: document({
    provider,
    path: "/claims/{claimId}/photo",
    params,
    files: [
      { mediaType: "image/png", extension: "png", signature: "\u0089PNG\r\n\u001a\n" },
      { mediaType: "application/zip", extension: "zip", signature: "PK\u0003\u0004" },
      { mediaType: "text/csv", extension: "csv" },
    ],
    fileName: "photo",
    notReady: 202,
  }),
  printClaim: document({
    provider,
    method: "POST",
    path: "/prints",
    body: reason,
    files: [pdf],
    fileName: "claim",
  }),
  readState: read({
    provider,
    path: "/claims/{claimId}/state",
    params,
    response: { 200: { media: { "text/html": zodSchema(z.enum(["OPEN", "CLOSED"])) } } },
  }),
  readNote: read({
    provider,
    path: "/claims/{claimId}/note",
    params,
    response: {
      200: {
        media: {
          "application/json": reason,
          "text/plain": zodSchema(z.string().check(z.maxLength(50))),
        },
      },
    },
  }),
};

/** A provider whose endpoints use other media types than JSON. */
export const providerM: Provider<Endpoints> = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints,
});
