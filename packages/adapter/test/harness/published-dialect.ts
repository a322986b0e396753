import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import {
  type AdapterContext,
  type PublishedCall,
  type PublishedDialect,
  publishedDialect,
} from "../../src/index.ts";
import { callOffline, type InsurerAnswer, type OfflineCall } from "./call-offline.ts";
import { providerWith } from "./declarations.ts";

/** The context of a call, the insurer's answer, and the dialect. */
interface Given extends Partial<AdapterContext> {
  readonly insurer?: InsurerAnswer;
  /** The differences between the insurer's interface and the endpoint's declaration. */
  readonly ours?: PublishedCall;
  readonly dialect?: PublishedDialect<never>;
}

/** Calls an endpoint whose declaration was imported from an OpenAPI document. */
export function callPublished(
  endpoint: Endpoint,
  input: Partial<CheckedInput>,
  { dialect = {}, insurer = {}, ours = {}, ...context }: Given = {},
): Promise<OfflineCall> {
  const adapter = publishedDialect(providerWith({ endpoint }), {
    ...dialect,
    calls: { endpoint: ours },
  });
  return callOffline(adapter, endpoint, input, insurer, context);
}

/** The header `accept` of a request to an insurer with an imported OpenAPI document. */
export const ACCEPT = "application/json, application/problem+json";
