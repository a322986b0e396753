import type { Adapter } from "@insurance-gateway/adapter";
import type { UserLogin } from "@insurance-gateway/core/auth";
import { check, type Schema } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { loginTexts } from "./access.ts";
import { type CallChanges, type DialectSubject, executeCall } from "./dialect-insurer.ts";
import { asSchema, jsonSchemaOf } from "./json-schemas.ts";
import { unprovenHint } from "./proof.ts";

/** An endpoint with a request that the package's adapter can send. */
export interface SendableCall {
  readonly subject: DialectSubject;
  readonly input: CheckedInput;
}

/** Finds settings that change no request, so that an operator would set them without effect. */
export async function settingFaults(
  schema: Schema<unknown> | undefined,
  calls: readonly SendableCall[],
): Promise<readonly string[]> {
  const [first] = calls;
  if (schema === undefined || first === undefined) return [];
  const { properties } = jsonSchemaOf(schema);
  const settings = first.subject.sandbox.settings ?? {};
  const faults: string[] = [];
  for (const [name, described] of Object.entries(asSchema(properties))) {
    const other = otherSettings(settings[name], asSchema(described).enum)
      .map((value) => ({ ...settings, [name]: value }))
      .find((changed) => check(schema, changed).valid);
    if (other === undefined) continue;
    let isSeen = false;
    for (const call of calls) isSeen ||= await changesRequests(call, {}, { settings: other });
    if (!isSeen)
      faults.push(
        `the setting ${name} changes no request: its adapter does not send it${unprovenHint(`setting ${name}`)}`,
      );
  }
  return faults;
}

/** Returns values for a setting that differ from the present value. */
function otherSettings(value: unknown, listed: unknown): readonly unknown[] {
  const words: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const text = String(value ?? "");
  return [...words, `${text}9`, text.replace(/.$/, "9"), "98765", 98765, true, false].filter(
    (other) => other !== value,
  );
}

const loginUser: UserLogin = { username: "a-name", password: "a-password" };
const otherUsers: readonly (readonly [what: string, user: UserLogin])[] = [
  ["user name", { ...loginUser, username: "another-name" }],
  ["password", { ...loginUser, password: "another-password" }],
];

/**
 * Finds adapters that do not send the user name or the password in the login, or in messages that must contain both.
 */
export async function loginFaults(
  adapter: Adapter,
  needsMessage: boolean,
  calls: readonly SendableCall[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const settings = calls[0]?.subject.sandbox.settings ?? {};
  for (const [what, other] of otherUsers) {
    if (adapter.login !== undefined) {
      const sent = await Promise.all(
        [loginUser, other].map((one) => loginTexts(adapter, settings, one)),
      );
      if (sent[0] === sent[1]) faults.push(`the adapter's login does not send the ${what}`);
    }
    for (const call of needsMessage ? calls : []) {
      const access = (login: UserLogin): CallChanges => ({ access: { headers: {}, login } });
      if (!(await changesRequests(call, access(loginUser), access(other))))
        faults.push(
          `${call.subject.name}: its request does not have the ${what}${unprovenHint(`${what} in ${call.subject.name}`)}`,
        );
    }
  }
  return faults;
}

/** Reports whether the requests of a call with the first changes differ from its requests with the second changes. */
async function changesRequests(
  { input, subject }: SendableCall,
  one: CallChanges,
  other: CallChanges,
): Promise<boolean> {
  const texts = [one, other].map(async (circumstances) => {
    const { seen } = await executeCall(subject, input, circumstances);
    return seen.map(({ text }) => text).join("\n");
  });
  const [before, after] = await Promise.all(texts);
  return before !== after;
}
