import type { PublishedEnvelope } from "@insurance-gateway/adapter";
import { type Endpoint, type FailureRow, greekPlate } from "@insurance-gateway/core/contract";
import {
  type EndpointKind,
  failureCodes,
  type OutcomeDeclaration,
} from "@insurance-gateway/core/runtime";
import * as z from "zod";
import { isObject } from "../document/references.ts";
import { ImportFault } from "../report.ts";

/** The member that an overlay adds to operations and to the document as a whole. */
export const EXTENSION = "x-insurance-gateway";

const pointer = z.string().regex(/^(\/.*)?$/, "must be a JSON Pointer, such as /policy/id");

const answerPlace = z.union([pointer, z.strictObject({ header: z.string() })]);

const paging = z.strictObject({
  style: z.enum(["start", "offset", "page", "cursor", "link"]),
  position: z.string(),
  from: z.literal([0, 1]).optional(),
  size: z.strictObject({
    name: z.string().optional(),
    usual: z.int().positive(),
    most: z.int().positive().optional(),
    echo: pointer.optional(),
  }),
  items: pointer,
  total: answerPlace.optional(),
  next: answerPlace.optional(),
  echo: pointer.optional(),
});

const failure = z.strictObject({
  status: z.union([z.int(), z.array(z.int()), z.literal("4xx")]),
  media: z.string().optional(),
  at: pointer.optional(),
  is: z.array(z.string()).optional(),
  code: z.enum(failureCodes),
  outcome: z.enum(["rejected", "not_sent", "unknown"]),
  afterActing: z.boolean().optional(),
  text: z.string().optional(),
  why: z.string().min(1),
});

const operationOptions = z.strictObject({
  select: z.boolean().optional(),
  name: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]{0,79}$/, "must be a name such as listPolicies")
    .optional(),
  kind: z.enum(["lookup", "read", "search", "document", "quote", "submission"]).optional(),
  path: z.string().startsWith("/").optional(),
  paging: paging.optional(),
  failures: z.array(failure).optional(),
  perAccount: z.literal(true).optional(),
  fileName: z.string().optional(),
  notReady: z.int().optional(),
  insurerId: z
    .union([
      pointer,
      z.strictObject({
        at: pointer,
        unique: z.enum(["provider", "account"]).optional(),
        of: z.string().optional(),
      }),
    ])
    .optional(),
  same: z
    .array(
      z.union([
        pointer,
        z
          .strictObject({ at: pointer, normaliser: z.literal("plate") })
          .transform(({ at }) => ({ at, normaliser: greekPlate })),
      ]),
    )
    .optional(),
  creates: z.boolean().optional(),
  idempotency: z.enum(["native", "reconcile", "none"]).optional(),
  sameContent: z.enum(["once", "open", "none"]).optional(),
  settleAfterMs: z.int().positive().optional(),
  closedWhen: z.strictObject({ at: pointer, is: z.array(z.string()) }).optional(),
  keyAt: z
    .union([
      z.strictObject({ header: z.string() }),
      z.strictObject({ query: z.string() }),
      z.strictObject({ body: pointer }),
    ])
    .optional(),
  reconcile: z
    .strictObject({
      endpoint: z.string(),
      parameters: z.record(z.string(), z.strictObject({ from: pointer })),
      createdAt: pointer,
    })
    .optional(),
});

const documentOptions = z.strictObject({
  lines: z.array(z.string()).optional(),
  settings: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/, "must be a name such as agentCode"),
        in: z.enum(["path", "query", "header"]),
        parameter: z.string(),
      }),
    )
    .optional(),
  failures: z.array(failure).optional(),
  envelope: z
    .strictObject({
      at: pointer,
      success: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1),
    })
    .optional(),
});

/** An overlay's options for an operation: whether it is imported, and facts that the document cannot express. */
export interface OperationOptions
  extends OutcomeDeclaration,
    Pick<Endpoint, "failures" | "fileName" | "notReady" | "paging" | "perAccount"> {
  /** False to exclude the operation, even with `--all`. */
  readonly select?: boolean;
  /** The endpoint's name. Default: derived from the `operationId`. */
  readonly name?: string;
  readonly kind?: EndpointKind;
  /** The public path, if this path differs from the insurer's path. */
  readonly path?: string;
}

/** An overlay's options for the insurer as a whole. */
export interface DocumentOptions {
  readonly lines?: readonly string[];
  /** The parameters whose values the operator configures; callers cannot send them. */
  readonly settings?: readonly SettingOption[];
  readonly failures?: readonly FailureRow[];
  /** The field of JSON answers that marks a success, for the operations whose answers declare the field. */
  readonly envelope?: PublishedEnvelope;
}

/** A parameter whose value is a setting. */
export interface SettingOption {
  /** The name that the operator configures: `agentCode`. */
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** The insurer's name of the parameter. */
  readonly parameter: string;
}

/**
 * Returns an overlay's options for an operation.
 * @throws ImportFault if the overlay contains unknown options
 */
export function operationOptionsOf(value: unknown, place: string): OperationOptions {
  // The schema has exactly these members, and omitted optional members are absent.
  return parsed(operationOptions, value, place) as OperationOptions;
}

/**
 * Returns an overlay's options for the insurer as a whole.
 * @throws ImportFault if the overlay contains unknown options
 */
export function documentOptionsOf(value: unknown): DocumentOptions {
  // The schema has exactly these members.
  return parsed(documentOptions, value, "") as DocumentOptions;
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, place: string): T | object {
  if (value === undefined) return {};
  const result = schema.safeParse(value);
  if (result.success) return result.data ?? {};
  const faults = result.error.issues.map(
    ({ message, path }) => `${["", ...path].join("/") || "/"} ${message}`,
  );
  const shown = isObject(value) ? faults.join("; ") : "must be an object";
  throw new ImportFault(`${EXTENSION}: ${shown}`, place);
}
