import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { listBrands } from "../../endpoints/index.ts";
import { brands } from "../brands.ts";

export const listBrandsHandler: SandboxHandler<typeof listBrands, never> = () => ({
  status: 200,
  body: { items: [...brands] },
});
