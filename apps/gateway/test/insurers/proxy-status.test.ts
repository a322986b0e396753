import { proxyErrorOf, proxyStatus } from "@insurance-gateway/core/runtime";
import { TransportError } from "@insurance-gateway/core/transport";
import { expect, it } from "vitest";

type Failure = ConstructorParameters<typeof TransportError>;

/** The error type of RFC 9209, section 2.3, for each failure of a request; null for a failure without a type. */
const words: readonly (readonly [Failure, string | null])[] = [
  [["resolve", "failed", "ENOTFOUND"], "dns_error"],
  [["resolve", "failed", "ETIMEDOUT"], "dns_timeout"],
  [["resolve", "timeout"], "dns_timeout"],
  [["connect", "timeout"], "connection_timeout"],
  [["connect", "failed", "ETIMEDOUT"], "connection_timeout"],
  [["connect", "failed", "UND_ERR_CONNECT_TIMEOUT"], "connection_timeout"],
  [["connect", "failed", "EHOSTUNREACH"], "destination_ip_unroutable"],
  [["connect", "failed", "ENETUNREACH"], "destination_ip_unroutable"],
  [["connect", "failed", "ECONNREFUSED"], "connection_refused"],
  [["connect", "failed", "ECONNRESET"], "connection_terminated"],
  [["tls", "timeout"], "connection_timeout"],
  [["tls", "failed", "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"], "tls_alert_received"],
  [["tls", "failed", "CERT_HAS_EXPIRED"], "tls_certificate_error"],
  [["tls", "failed", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"], "tls_certificate_error"],
  [["tls", "failed", "ERR_TLS_CERT_ALTNAME_INVALID"], "tls_certificate_error"],
  [["tls", "failed", "DEPTH_ZERO_SELF_SIGNED_CERT"], "tls_certificate_error"],
  [["tls", "failed", "UNABLE_TO_GET_ISSUER_CERT"], "tls_certificate_error"],
  [["tls", "failed", "ERR_SSL_WRONG_VERSION_NUMBER"], "tls_protocol_error"],
  [["write", "timeout"], "connection_write_timeout"],
  [["write", "failed", "EPIPE"], "connection_terminated"],
  [["wait", "timeout"], "http_response_timeout"],
  [["wait", "failed", "UND_ERR_HEADERS_OVERFLOW"], "http_response_header_section_size"],
  [["wait", "failed", "HPE_INVALID_CONSTANT"], "http_protocol_error"],
  [["wait", "failed", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"], "http_protocol_error"],
  [["wait", "failed", "UND_ERR_INVALID_RETURN_VALUE"], "http_protocol_error"],
  [["wait", "failed", "ECONNRESET"], "connection_terminated"],
  [["body", "timeout"], "http_response_timeout"],
  [["body", "too_large"], "http_response_body_size"],
  [["body", "failed", "ECONNRESET"], "http_response_incomplete"],
  [["body", "unreadable"], null],
];

it.each(words)(
  "the Proxy-Status header states the error type of RFC 9209 for a failed request: %j is %s",
  (failure, word) => {
    expect(proxyErrorOf(new TransportError(...failure))).toBe(word);
  },
);

it("the Proxy-Status header names the gateway and then the known facts about the failure", () => {
  const statusOf = (facts: Parameters<typeof proxyStatus>[0]): unknown =>
    proxyStatus(facts)["proxy-status"];
  expect(statusOf({})).toBe("insurance-gateway");
  expect(statusOf({ error: null })).toBe("insurance-gateway");
  expect(statusOf({ error: "dns_error" })).toBe("insurance-gateway; error=dns_error");
  expect(statusOf({ received: 503 })).toBe("insurance-gateway; received-status=503");
});
