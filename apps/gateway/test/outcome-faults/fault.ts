import type { HonestAnswer, Kind } from "./book.ts";
import type { Conduct } from "./insurer.ts";

/** An obstacle on the way to the insurer. */
export type Way = "no address" | "refused" | "never accepted" | "https";

/** Ways to send the same key again. */
export type Repeat =
  | "as before"
  | "with an invalid token"
  | "over the limit"
  | "as text"
  | "as broken JSON"
  | "accepting only XML";

/** A fault of an insurer, or of the network before the insurer. */
export interface Fault {
  /** Name of the fault, in the form "if the insurer …". */
  readonly name: string;
  /** The insurer's conduct in the call. */
  readonly conduct: Conduct;
  /** The kinds of call to which the fault applies. */
  readonly kinds: readonly Kind[];
  /** The insurer's conduct in an earlier submission of another caller, whose connection is kept. */
  readonly before?: Conduct;
  /** Idle time after the earlier submission, in milliseconds. */
  readonly idleMs?: number;
  /** True if another caller submits at the same time. */
  readonly together?: boolean;
  readonly way?: Way;
  readonly repeat?: Repeat;
  /** Changes to the configuration of the provider, for the fault. */
  readonly provider?: object;
  /** The required answer to the first request of a submission, if only one answer is right. */
  readonly certain?: "success" | "rejected" | "not_sent";
}

/** Returns two faults: with the first, the insurer executes the request; with the second, the insurer does not. */
export function actingOrNot(
  name: string,
  conduct: Omit<Conduct, "acts">,
  more: Partial<Fault> = {},
): readonly Fault[] {
  return [
    { kinds: ["submission"], ...more, name: `executes the request and ${name}`, conduct },
    {
      kinds: ["submission", "search", "lookup", "document"],
      ...more,
      name: `does nothing and ${name}`,
      conduct: { ...conduct, acts: false },
    },
  ];
}

/** The differences between a response and the honest response. */
export interface ResponseChanges {
  readonly status?: number;
  /** Media type of the response; null omits the header `Content-Type`. */
  readonly mediaType?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Header lines about the length of the body, instead of `Content-Length`. */
  readonly framing?: readonly string[];
}

/** Returns the text of the honest response with changes. */
export function response(honest: HonestAnswer, changes: ResponseChanges = {}): string {
  const { body, mediaType, status } = { ...honest, ...changes };
  const framing = changes.framing ?? [`Content-Length: ${Buffer.byteLength(body)}`];
  const type = mediaType === null ? [] : [`Content-Type: ${mediaType}`];
  const lines = [`HTTP/1.1 ${status} Some`, ...type, ...(changes.headers ?? []), ...framing];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
