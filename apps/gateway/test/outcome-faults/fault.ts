import type { HonestAnswer, Kind } from "./book.ts";
import type { Conduct } from "./insurer.ts";

/** An obstacle on the way to the insurer. */
export type Way = "no address" | "refused" | "never accepted" | "https";

/** How the same key is sent again. */
export type Repeat =
  | "as before"
  | "with an invalid token"
  | "over the limit"
  | "as text"
  | "as broken JSON"
  | "accepting only XML";

/** One thing that goes wrong. */
export interface Fault {
  /** Completes "when the insurer …". */
  readonly name: string;
  /** The insurer's conduct in the call. */
  readonly conduct: Conduct;
  /** The kinds of call that it makes sense for. */
  readonly kinds: readonly Kind[];
  /** The insurer's conduct in an earlier submission of another caller, so that its connection is kept. */
  readonly before?: Conduct;
  /** How long nothing is sent after that, in milliseconds. */
  readonly idleMs?: number;
  /** Whether somebody else submits at the same time. */
  readonly together?: boolean;
  readonly way?: Way;
  readonly repeat?: Repeat;
  /** Changes to the provider's configuration. */
  readonly provider?: object;
  /** The required first answer to a submission, if there is no doubt. */
  readonly certain?: "success" | "rejected" | "not_sent";
}

/** Makes two faults of one: the insurer carries the request out, or does not. */
export function actingOrNot(
  name: string,
  conduct: Omit<Conduct, "acts">,
  more: Partial<Fault> = {},
): readonly Fault[] {
  return [
    { kinds: ["submission"], ...more, name: `carries the request out and ${name}`, conduct },
    {
      kinds: ["submission", "search", "lookup", "document"],
      ...more,
      name: `does nothing and ${name}`,
      conduct: { ...conduct, acts: false },
    },
  ];
}

/** How a response differs from the honest one. */
export interface ResponseChanges {
  readonly status?: number;
  /** Null for no header. */
  readonly mediaType?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** The lines that say how long the body is, instead of its length. */
  readonly framing?: readonly string[];
}

/** Writes a response: the honest one but for what is changed. */
export function response(honest: HonestAnswer, changes: ResponseChanges = {}): string {
  const { body, mediaType, status } = { ...honest, ...changes };
  const framing = changes.framing ?? [`Content-Length: ${Buffer.byteLength(body)}`];
  const type = mediaType === null ? [] : [`Content-Type: ${mediaType}`];
  const lines = [`HTTP/1.1 ${status} Some`, ...type, ...(changes.headers ?? []), ...framing];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
