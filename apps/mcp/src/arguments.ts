import {
  type BodyMedia,
  bodyMediaOf,
  bodyOf,
  type Checked,
  check,
  type Endpoint,
  type Fault,
  kindPolicies,
  type Schema,
} from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** Who confirms a submission: a person whom the MCP client asks; a second call with a code; or nobody. */
export type ConfirmedBy = "person" | "code" | "nobody";

/** The arguments of a tool as the protocol carries them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The parts of a call, as the gateway's client takes them. */
export interface CallParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: object;
  readonly body?: unknown;
}

/** The arguments of a tool in their declared form. */
export interface CheckedArguments {
  readonly parts: CallParts;
  /** Of a submission; empty for other kinds. */
  readonly idempotencyKey: string;
  readonly confirmation: string | null;
}

const PARTS = ["params", "query", "headers", "body"] as const;

/** What the gateway's client sends as a key: printable ASCII without space, quotation mark and backslash. */
const KEY = /^[!#-[\]-~]{1,255}$/;

const idempotencyKey = z.string().check(
  z.regex(KEY, {
    error:
      "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash",
  }),
  z.meta({
    description:
      "Names this submission. Make a UUID once and use the same for every retry: the same key never sends twice. No personal data.",
  }),
);

const confirmation = z.exactOptional(
  z.string().check(
    z.meta({
      description:
        "Leave it out first: nothing is sent, and the answer has a code. Give that code only when a person has agreed to what would be sent.",
    }),
  ),
);

/** The schema of a tool's arguments: the endpoint's parts, and what a submission takes beside them. */
export function argumentsSchema(
  endpoint: Endpoint,
  confirmedBy: ConfirmedBy,
): z.ZodMiniType<ToolArguments, ToolArguments> {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  return z.strictObject({
    ...Object.fromEntries(
      partsOf(endpoint).map(({ isOptional, name, schema }) => [
        name,
        isOptional ? z.exactOptional(zod(schema)) : zod(schema),
      ]),
    ),
    ...(acts ? { idempotencyKey } : {}),
    ...(acts && confirmedBy === "code" ? { confirmation } : {}),
  });
}

/**
 * Checks the arguments of a call, all faults at once. Their pointers are those of the gateway's problems: `/holder/afm` in
 * a body, `/query/clientAfm` and `/path/applicationId` for parameters.
 */
export function checkArguments(
  endpoint: Endpoint,
  confirmedBy: ConfirmedBy,
  given: ToolArguments,
): Checked<CheckedArguments> {
  // A part that is left out lacks each of its fields.
  const empty = Object.fromEntries(
    partsOf(endpoint)
      .filter(({ isOptional, schema }) => !isOptional && isObject(schema))
      .map(({ name }) => [name, {}]),
  );
  const checked = check(argumentsSchema(endpoint, confirmedBy), { ...empty, ...given });
  if (!checked.valid) return { valid: false, faults: checked.faults.map(asInProblems) };
  const { confirmation: code = null, idempotencyKey: key = "", ...parts } = checked.value;
  // The schema has let strings through and nothing else.
  return {
    valid: true,
    value: {
      parts,
      idempotencyKey: key as string,
      confirmation: code as string | null,
    },
  };
}

/** One part of what an endpoint takes. */
interface Part {
  readonly name: (typeof PARTS)[number];
  readonly schema: Schema<unknown>;
  readonly isOptional: boolean;
}

function partsOf(endpoint: Endpoint): readonly Part[] {
  return PARTS.flatMap((name) => {
    const schema = name === "body" ? plainBodyOf(endpoint)?.schema : endpoint[name];
    if (schema === undefined) return [];
    const isLeftOut = name === "body" && bodyOf(endpoint)?.required === false;
    return [{ name, schema, isOptional: isLeftOut || check(schema, {}).valid }];
  });
}

/** The body that a tool can be given: no model writes the bytes of a file. */
function plainBodyOf(endpoint: Endpoint): BodyMedia | undefined {
  return bodyMediaOf(endpoint, ["json", "form", "text"]);
}

/** Whether an endpoint cannot be called without a file. */
export function needsFile(endpoint: Endpoint): boolean {
  return bodyOf(endpoint)?.required === true && plainBodyOf(endpoint) === undefined;
}

function isObject(schema: Schema<unknown>): boolean {
  return z.toJSONSchema(zod(schema), { unrepresentable: "any" }).type === "object";
}

function asInProblems(fault: Fault): Fault {
  const pointer = fault.pointer
    .replace(/^\/params(?=\/|$)/, "/path")
    .replace(/^\/body(?=\/|$)/, "");
  return { ...fault, pointer };
}
