import { signDevelopmentToken, type TokenOptions } from "@insurance-gateway/gateway/token";
import { print } from "./output/print.ts";

/** Prints a token of the development issuer, and nothing else. */
export async function token(options: TokenOptions): Promise<void> {
  await print(await signDevelopmentToken(options));
}
