import { INTERNAL_ERROR_DETAIL, Refusal } from "./refusal.ts";

/** Makes a refusal of anything that was thrown; what is not known is the gateway's own fault and says nothing of itself. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = Number(property(error, "statusCode"));
  if (status >= 400 && status < 500)
    return new Refusal("INVALID_REQUEST", { detail: "The request is not well-formed HTTP." });
  return new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL }, error);
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
