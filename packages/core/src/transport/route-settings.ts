/** Certificates of TLS connections, in PEM. */
export interface TlsSettings {
  /** Trusted authorities for the server's certificate, which replace the default authorities. */
  readonly authorities?: string | undefined;
  /** Client certificate with its private key, for a server that requires a client certificate. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Settings for opening connections. */
export interface RouteSettings {
  /** The time limit for opening a connection, including TLS, in milliseconds. Default: 3,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly tls?: TlsSettings | undefined;
  /**
   * Address of the proxy for every connection, or `environment` for the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY,
   * which never apply to this machine. Default: no proxy.
   */
  readonly proxy?: string | undefined;
}
