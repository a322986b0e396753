/** The certificates of TLS connections, in PEM. */
export interface TlsSettings {
  /** The trusted authorities for the server's certificate, instead of the default ones. */
  readonly authorities?: string | undefined;
  /** The client certificate with its private key, for a server that asks for one. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** How connections are opened. */
export interface RouteSettings {
  /** The time limit for opening a connection, including TLS, in milliseconds. Default: 3,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly tls?: TlsSettings | undefined;
  /**
   * The address of the proxy for every connection, or `environment`: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, and none for
   * this machine. Default: none.
   */
  readonly proxy?: string | undefined;
}
