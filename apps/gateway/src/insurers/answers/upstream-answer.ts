import type { Readable } from "node:stream";
import type { DecodedBody } from "@insurance-gateway/adapter";
import type {
  AnswerConnections,
  CheckedInput,
  RequestStage,
} from "@insurance-gateway/core/runtime";
import type { InsurerExchange, WhenEnded } from "../exchange/insurer-exchange.ts";
import type { Sharing } from "./lookup-sharing.ts";

/** The caller's answer: JSON as text, or a document as a stream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Readable;
  /** The content as the insurer sent it, in UTF-8, where that is sent on in its place. */
  readonly bytes?: Buffer;
  /** The content compressed with gzip, of a lookup's answer in memory. */
  readonly compressed?: Buffer;
  /** The accounts that a lookup's answer may be cached for. Default: all accounts. */
  readonly sharing?: Sharing;
  /** The number of bytes of the content, a text, in UTF-8; undefined if they were not counted. */
  readonly contentLength?: number | undefined;
  /** The end of a document: resolves when the insurer sends no more of it. */
  readonly whenEnded?: WhenEnded;
  /** The insurer's own identifier of what a submission created. */
  readonly insurerId?: string | null;
  /** When it was created, as the insurer wrote it. */
  readonly createdAt?: unknown;
  /** Whether the application has ended without cover: declined, cancelled or expired. */
  readonly closed?: boolean;
  /** The connections that it came on, of a submission's answer. */
  readonly answerConnections?: AnswerConnections;
  /** The code and outcome of a problem that is replayed, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** The facts of an answer beside the adapter's reading. */
export interface AnswerFacts {
  /** The caller's input. */
  readonly input: CheckedInput;
  /** The exchange by which the insurer acted; of a call that changes nothing, the last. */
  readonly decisive: InsurerExchange;
  readonly last: InsurerExchange;
  readonly answerConnections: AnswerConnections;
  readonly stage: RequestStage;
  /** The insurer's bodies, as the adapter decoded them. */
  readonly bodies: readonly DecodedBody[];
}
