import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { listCountries } from "../../endpoints/index.ts";
import { countries } from "../countries.ts";

export const listCountriesHandler: SandboxHandler<typeof listCountries, never> = () => ({
  status: 200,
  body: { items: [...countries] },
});
