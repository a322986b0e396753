import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { listCountries } from "./endpoints/index.ts";
import { providerB } from "./provider.ts";
import { countries } from "./sandbox/countries.ts";
import { dialect } from "./sandbox/dialect.ts";

const list: SandboxHandler<typeof listCountries, never> = () => ({
  status: 200,
  body: { items: [...countries] },
});

/** The simulated insurer behind Provider B: it knows every country of ISO 3166-1 and keeps nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerB>({
  provider: providerB,
  seed: [],
  scenarios: [],
  handlers: { listCountries: list },
  dialect,
});
