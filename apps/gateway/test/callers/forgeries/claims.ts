import type { TokenFault } from "../../../src/callers/token-faults.ts";
import { AUDIENCE, ISSUER } from "../../harness/good-token.ts";
import { changed, type Forgery } from "./forgery.ts";

const claiming = (name: string, fault: TokenFault, claims: object): Forgery =>
  changed(name, fault, { claims });
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

const issuers: readonly Forgery[] = [
  claiming("no issuer", "unknown_issuer", { iss: undefined }),
  claiming("an unknown issuer", "unknown_issuer", { iss: "https://evil.example" }),
  claiming("an issuer with other upper and lower case", "unknown_issuer", {
    iss: "https://LOGIN.example",
  }),
  claiming("a slash after the issuer", "unknown_issuer", { iss: `${ISSUER}/` }),
  claiming("a space after the issuer", "unknown_issuer", { iss: `${ISSUER} ` }),
  claiming("an address below the issuer", "unknown_issuer", { iss: `${ISSUER}/tenant` }),
  claiming("an array with the issuer", "unknown_issuer", { iss: [ISSUER] }),
  claiming("an issuer that is null", "unknown_issuer", { iss: null }),
];

const audiences: readonly Forgery[] = [
  claiming("no audience", "wrong_audience", { aud: undefined }),
  claiming("another audience", "wrong_audience", { aud: "another-gateway" }),
  claiming("the beginning of the audience", "wrong_audience", { aud: AUDIENCE.slice(0, -1) }),
  claiming("an audience that only begins with the right audience", "wrong_audience", {
    aud: `${AUDIENCE}-2`,
  }),
  claiming("an audience with other upper and lower case", "wrong_audience", {
    aud: AUDIENCE.toUpperCase(),
  }),
  claiming("several audiences in one text", "wrong_audience", { aud: `${AUDIENCE} portal` }),
  claiming("an array without the audience", "wrong_audience", { aud: ["portal"] }),
  claiming("an empty array of audiences", "wrong_audience", { aud: [] }),
  claiming("the audience in a nested array", "wrong_audience", { aud: [[AUDIENCE]] }),
  claiming("an object with the audience as a member name", "wrong_audience", {
    aud: { [AUDIENCE]: true },
  }),
  claiming("the client as the audience, as in an ID token", "wrong_audience", { aud: "portal" }),
];

const bindings: readonly Forgery[] = [
  claiming("a binding to a DPoP key", "bound", {
    cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
  }),
  claiming("a binding to a certificate", "bound", {
    cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" },
  }),
  claiming("a binding to null", "bound", { cnf: null }),
];

const times: readonly Forgery[] = [
  claiming("no expiry", "no_instant", { exp: undefined }),
  claiming("an expiry that is a text", "no_instant", { exp: String(inSeconds(300)) }),
  claiming("an expiry that is null", "no_instant", { exp: null }),
  claiming("an expiry that is true", "no_instant", { exp: true }),
  claiming("an expiry in an array", "no_instant", { exp: [inSeconds(300)] }),
  claiming("an expiry in milliseconds", "no_instant", { exp: inSeconds(300) * 1_000 }),
  claiming("an expiry that is the largest number", "no_instant", { exp: Number.MAX_VALUE }),
  claiming("a start that is a text", "no_instant", { nbf: "0" }),
  claiming("a start that is null", "no_instant", { nbf: null }),
  claiming("an issue time that is a text", "no_instant", { iat: "0" }),
  claiming("an expiry two minutes ago", "expired", { exp: inSeconds(-120) }),
  claiming("an expiry in 1970", "expired", { exp: 0 }),
  claiming("an expiry before 1970", "expired", { exp: -1 }),
  claiming("a start in five minutes", "not_yet_valid", { nbf: inSeconds(300) }),
  claiming("an issue time in five minutes", "not_yet_valid", { iat: inSeconds(300) }),
];

const subjects: readonly Forgery[] = [
  claiming("no subject and no client", "no_subject", { sub: undefined, client_id: undefined }),
  claiming("an empty subject", "no_subject", { sub: "" }),
  claiming("a subject that is a number", "no_subject", { sub: 7 }),
  claiming("a subject that is null", "no_subject", { sub: null }),
  claiming("a subject in an array", "no_subject", { sub: ["admin"] }),
  claiming("a client that is a number, and no subject", "no_subject", {
    sub: undefined,
    client_id: 7,
  }),
];

/** All forgeries with wrong claims. */
export const forgedClaims: readonly Forgery[] = [
  ...issuers,
  ...audiences,
  ...bindings,
  ...times,
  ...subjects,
];
