import { type Brokers, CLAIM, KEY_HEADER, ONE } from "../harness/brokers.ts";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";

/** The token with which the tests change accounts in the store. */
export const OPERATOR_TOKEN = "operator-token-7c1d-6f02-4b5e-9a31";

/** Environment variables for a gateway with the settings of `storing`. */
export const storingEnvironment = {
  ACCOUNTS_TOKEN: OPERATOR_TOKEN,
  STORE_KEY_one: Buffer.alloc(32, 1).toString("base64"),
  STORE_KEY_two: Buffer.alloc(32, 2).toString("base64"),
};

/**
 * Returns the settings of a gateway with accounts in the store.
 * @param keys - ids of the encryption keys, "one" or "two"; the first key encrypts the accounts
 * @param list - accounts of the configuration file
 */
export function storing(keys: readonly string[], list: readonly object[] = []): object {
  return {
    accounts: { claim: CLAIM, list },
    operations: { accountsToken: { env: "ACCOUNTS_TOKEN" } },
    submissions: { keys: keys.map((id) => ({ id, secret: { env: `STORE_KEY_${id}` } })) },
  };
}

/** Returns an account with an API key, in the form in which an operator adds an account. */
export function accountForStore(
  id: string,
  tenant: string,
  secret: unknown = `secret-of-${id}`,
): object {
  const credentials = { type: "apiKey", header: KEY_HEADER, value: secret };
  return { id, segment: "provider-d", tenant: { issuer: ONE, name: tenant }, credentials };
}

/** Sends an operator's request about accounts, such as `POST /accounts` with an account. */
export function administer(
  { operationsAddress }: Pick<GatewayInProcess, "operationsAddress">,
  request: string,
  body?: object,
  token: string | null = OPERATOR_TOKEN,
): Promise<Response> {
  const [method = "", path] = request.split(" ");
  return fetch(`${operationsAddress}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Adds or changes an account in the store, with the arguments of `accountForStore`. Returns the status of the answer. */
export async function storeAccount(
  { gateway }: Pick<Brokers, "gateway">,
  ...account: Parameters<typeof accountForStore>
): Promise<number> {
  return (await administer(gateway, "POST /accounts", accountForStore(...account))).status;
}
