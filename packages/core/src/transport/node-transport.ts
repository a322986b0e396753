import { ConfigurationError } from "../errors/configuration-error.ts";
import { createFetchTransport, faultsOverFetch } from "./fetch-transport.ts";
import { environmentProxy } from "./proxy-variables.ts";
import type { RouteSettings, TlsSettings } from "./route-settings.ts";
import { CLOSED, RUNTIME_FAULT, type Transport, TransportError } from "./transport.ts";

/**
 * Module of the transport over undici. Its name is computed so that bundlers omit undici; a bundle loads the package
 * that is installed beside it.
 */
const UNDICI_TRANSPORT_MODULE: readonly string[] = ["@insurance-gateway/core", "transport"];

/**
 * Creates the transport of Node: undici, which is loaded at the first request, or `fetch` for a bundle without
 * installed packages.
 * @throws ConfigurationError if the client certificate, or the environment's proxy for `baseUrl`, cannot be used
 */
export function createNodeTransport(settings: RouteSettings, baseUrl: string): Transport {
  checkCertificate(settings.tls ?? {});
  if (settings.proxy === "environment") environmentProxy(baseUrl);
  let loading: Promise<Transport> | undefined;
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) throw new TransportError("connect", "failed", CLOSED);
      loading ??= loadUndiciTransport(settings);
      return (await loading).send(request);
    },
    async close() {
      isClosed = true;
      // If undici could not be loaded, the calls have already reported this error.
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

async function loadUndiciTransport(settings: RouteSettings): Promise<Transport> {
  try {
    const module: typeof import("./index.ts") = await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ UNDICI_TRANSPORT_MODULE.join(
        "/",
      )
    );
    return module.createTransport(settings);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (!code.endsWith("MODULE_NOT_FOUND")) throw runtimeFault(code);
  }
  return createFallbackTransport(settings);
}

/** Creates a transport over Node's `fetch`, which refuses settings that only undici supports. */
function createFallbackTransport(settings: RouteSettings): Transport {
  const { connectTimeoutMs: connectTimeout, proxy, tls } = settings;
  const given = { connectTimeout, proxy: proxy === "environment" ? undefined : proxy, tls };
  const faults = faultsOverFetch(given);
  if (faults.length > 0) throw runtimeFault(faults.join("; "));
  const transport = createFetchTransport();
  return {
    async send(request) {
      const isProxied =
        settings.proxy === "environment" &&
        withFailureReason(() => environmentProxy(request.url)) !== null;
      if (isProxied) throw runtimeFault("a proxy is not available over fetch");
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

/** Runs a function. Converts its error to a TransportError whose detail contains the reason. */
function withFailureReason<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw runtimeFault(
      ConfigurationError.isInstance(error) ? error.faults.join("; ") : String(error),
    );
  }
}

function runtimeFault(reason: string): TransportError {
  return new TransportError("connect", "failed", `${RUNTIME_FAULT}: ${reason}`);
}

/** Checks the client certificate. With the key of another certificate, every connection would fail. */
function checkCertificate({ certificate, key }: TlsSettings): void {
  if (certificate === undefined || key === undefined) return;
  try {
    process.getBuiltinModule("node:tls").createSecureContext({ cert: certificate, key });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new ConfigurationError([
      `tls.certificate and tls.key must be a certificate and its own key without a passphrase${code}`,
    ]);
  }
}
