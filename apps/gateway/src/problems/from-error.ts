import { INTERNAL_ERROR_DETAIL, Refusal } from "./refusal.ts";

/** What the listener's own refusals mean, by the code of the error it throws. */
const listenerCodes: Readonly<Record<string, () => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Refusal("PAYLOAD_TOO_LARGE", { detail: "A JSON body may have at most 64 kB." }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Refusal("INVALID_REQUEST", {
      detail: "The body does not have the length that Content-Length states.",
    }),
};

/** Makes a refusal of anything that was thrown; what is not known is the gateway's own fault and says nothing of itself. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const known = listenerCodes[String(property(error, "code"))];
  if (known !== undefined) return known();
  const status = Number(property(error, "statusCode"));
  if (status >= 400 && status < 500)
    return new Refusal("INVALID_REQUEST", { detail: "The request is not well-formed HTTP." });
  return new Refusal("INTERNAL_ERROR", { detail: INTERNAL_ERROR_DETAIL }, error);
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
