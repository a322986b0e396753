import { createFetchTransport } from "./fetch-transport.ts";
import { checkProxyVariables } from "./proxy-variables.ts";
import type { RouteSettings } from "./route.ts";
import { CLOSED, type Transport, TransportError } from "./transport.ts";

/**
 * The module of the transport over undici. Its name is no constant, so that a bundler leaves undici out: a bundle loads the package
 * that is installed beside it.
 */
const UNDICI_TRANSPORT: readonly string[] = ["@insurance-gateway/core", "transport"];

/** Creates the transport of Node: undici, which is loaded with the first request, or `fetch` for a bundle without installed packages. */
export function createNodeTransport(settings: RouteSettings): Transport {
  if (settings.proxy === "environment") checkProxyVariables();
  let loading: Promise<Transport> | undefined;
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) throw new TransportError("connect", "failed", CLOSED);
      loading ??= load(settings);
      return (await loading).send(request);
    },
    async close() {
      isClosed = true;
      // A failed load was reported to the calls.
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

async function load(settings: RouteSettings): Promise<Transport> {
  try {
    const module: typeof import("./index.ts") = await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ UNDICI_TRANSPORT.join(
        "/",
      )
    );
    return module.createTransport(settings);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!code.endsWith("MODULE_NOT_FOUND"))
      throw new TransportError("connect", "failed", "undici cannot be loaded: is this Node 22.19?");
  }
  try {
    return createFetchTransport(settings);
  } catch (error) {
    throw new TransportError("connect", "failed", `without undici: ${String(error)}`);
  }
}
