import type { Readable } from "node:stream";
import type { DecodedBody } from "@insurance-gateway/adapter";
import type { AnswerConnections, CheckedInput, Stage } from "@insurance-gateway/core/runtime";
import type { InsurerExchange, WhenEnded } from "../exchange/insurer-exchange.ts";
import type { Sharing } from "./lookup-sharing.ts";

/** What the caller gets: JSON as text, or a document as a stream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Readable;
  /** The content as the insurer sent it, in UTF-8, where that is sent on in its place. */
  readonly bytes?: Buffer;
  /** The content compressed with gzip, of a lookup's answer in memory. */
  readonly compressed?: Buffer;
  /** Of a lookup's answer: who it may be kept for. Default: all accounts. */
  readonly sharing?: Sharing;
  /** How many bytes the content, a text, has in UTF-8; undefined where nobody has counted them. */
  readonly contentLength?: number | undefined;
  /** Of a document: when nothing more of it comes from the insurer. */
  readonly whenEnded?: WhenEnded;
  /** The insurer's own identifier of what a submission created. */
  readonly insurerId?: string | null;
  /** When it was created, as the insurer wrote it. */
  readonly createdAt?: unknown;
  /** Whether it says that what was submitted does not stand: declined, cancelled or expired. */
  readonly closed?: boolean;
  /** The connections that it came on, of a submission's answer. */
  readonly answerConnections?: AnswerConnections;
  /** The code and outcome of a problem that is replayed, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** What is known of an answer beside what the adapter made of it. */
export interface AnswerFacts {
  /** What the caller asked for. */
  readonly input: CheckedInput;
  /** The exchange by which the insurer acted; of a call that changes nothing, the last. */
  readonly decisive: InsurerExchange;
  readonly last: InsurerExchange;
  readonly answerConnections: AnswerConnections;
  readonly stage: Stage;
  /** What the insurer sent, as the adapter decoded it. */
  readonly bodies: readonly DecodedBody[];
}
