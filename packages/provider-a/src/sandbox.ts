import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { listBrands } from "./endpoints/index.ts";
import { providerA } from "./provider.ts";
import { brands } from "./sandbox/brands.ts";
import { dialect } from "./sandbox/dialect.ts";

const list: SandboxHandler<typeof listBrands, never> = () => ({
  status: 200,
  body: { items: [...brands] },
});

/** The simulated insurer behind Provider A: it knows the brands sold in Greece and keeps nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerA>({
  provider: providerA,
  seed: [],
  scenarios: [],
  handlers: { listBrands: list },
  dialect,
});
