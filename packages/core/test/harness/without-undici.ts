import { registerHooks } from "node:module";
import { createGateway, GatewayError } from "../../src/index.ts";
import { listBrands } from "./declarations.ts";

// Makes one call in a process that cannot load the transport over undici, and prints the result.
const [code, baseUrl = "", options = "{}"] = process.argv.slice(2);
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "@insurance-gateway/core/transport") return next(specifier, context);
    throw Object.assign(new Error("cannot be loaded"), { code });
  },
});
let attempts = 0;
const gateway = createGateway({
  baseUrl,
  token: "token-1",
  onAttempt: () => attempts++,
  ...JSON.parse(options),
});
const result = await gateway.call(listBrands).catch((error: unknown) => {
  if (!GatewayError.isInstance(error)) throw error;
  const { message, outcome, retry } = error;
  return { message, outcome, retry };
});
process.stdout.write(JSON.stringify({ result, attempts }));
await gateway.close();
