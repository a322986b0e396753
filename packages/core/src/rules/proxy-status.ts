import type { TransportError } from "../transport/transport.ts";

/** An error type of RFC 9209, section 2.3. */
export type ProxyError =
  | "dns_timeout"
  | "dns_error"
  | "destination_unavailable"
  | "connection_limit_reached"
  | "destination_ip_unroutable"
  | "connection_refused"
  | "connection_terminated"
  | "connection_timeout"
  | "connection_write_timeout"
  | "tls_protocol_error"
  | "tls_certificate_error"
  | "tls_alert_received"
  | "http_response_incomplete"
  | "http_response_header_section_size"
  | "http_response_body_size"
  | "http_response_timeout"
  | "http_protocol_error";

/** Returns the error type of RFC 9209 for a failed request to the insurer; null if the RFC has no such type. */
export function proxyErrorOf(error: TransportError): ProxyError | null {
  return errorKinds[error.phase](error.reason === "timeout", error.detail ?? "", error.reason);
}

/** Returns the header `Proxy-Status` for a request without an answer that the gateway can pass on. */
export function proxyStatus(facts: {
  readonly error?: ProxyError | null;
  /** The status of the insurer's answer. */
  readonly received?: number | undefined;
}): Readonly<Record<string, string>> {
  const error = facts.error == null ? "" : `; error=${facts.error}`;
  const received = facts.received === undefined ? "" : `; received-status=${facts.received}`;
  return { "proxy-status": `insurance-gateway${error}${received}` };
}

type ErrorKind = (timeout: boolean, detail: string, reason: string) => ProxyError | null;

const errorKinds: Readonly<Record<TransportError["phase"], ErrorKind>> = {
  resolve: (timeout, detail) =>
    timeout || /TIMEDOUT|TIMEOUT/.test(detail) ? "dns_timeout" : "dns_error",
  connect(timeout, detail) {
    if (timeout || /TIMEDOUT|TIMEOUT/.test(detail)) return "connection_timeout";
    if (/^E(HOST|NET)UNREACH$/.test(detail)) return "destination_ip_unroutable";
    return detail === "ECONNREFUSED" ? "connection_refused" : "connection_terminated";
  },
  tls(timeout, detail) {
    if (timeout) return "connection_timeout";
    if (/ALERT/.test(detail)) return "tls_alert_received";
    return /CERT|SIGNATURE|ALTNAME|SELF_SIGNED|ISSUER/.test(detail)
      ? "tls_certificate_error"
      : "tls_protocol_error";
  },
  write: (timeout) => (timeout ? "connection_write_timeout" : "connection_terminated"),
  wait(timeout, detail) {
    if (timeout) return "http_response_timeout";
    if (detail === "UND_ERR_HEADERS_OVERFLOW") return "http_response_header_section_size";
    return /^(HPE_|UND_ERR_RES|UND_ERR_INVALID)/.test(detail)
      ? "http_protocol_error"
      : "connection_terminated";
  },
  body(timeout, _, reason) {
    if (timeout) return "http_response_timeout";
    if (reason === "too_large") return "http_response_body_size";
    return reason === "unreadable" ? null : "http_response_incomplete";
  },
};
