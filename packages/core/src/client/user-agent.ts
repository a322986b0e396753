/** The version of this package, which the build inserts. */
declare const PACKAGE_VERSION: string | undefined;

/** Returns the value of the header `user-agent`: the version of this package and the runtime. */
export function userAgent(): string {
  const version = typeof PACKAGE_VERSION === "undefined" ? "source" : PACKAGE_VERSION;
  // Node calls itself `Node.js/24` there; a browser sends its own value in any case.
  const runtime = globalThis.navigator?.userAgent ?? "";
  return `insurance-gateway-core/${version} ${runtime}`.trim();
}
