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
  /** The content in UTF-8 as the insurer sent it; the gateway sends these bytes in place of the text. */
  readonly bytes?: Buffer;
  /** The content compressed with gzip, for a lookup's answer in memory. */
  readonly compressed?: Buffer;
  /** The accounts that a lookup's answer may be cached for. Default: all accounts. */
  readonly sharing?: Sharing;
  /** The number of bytes of the content, a text, in UTF-8; undefined if they were not counted. */
  readonly contentLength?: number | undefined;
  /** Calls a listener when the insurer sends no more of a document. */
  readonly whenEnded?: WhenEnded;
  /** The insurer's identifier of the created item. */
  readonly insurerId?: string | null;
  /** The time of the creation, as the insurer wrote it. */
  readonly createdAt?: unknown;
  /** True if the application has ended without cover: declined, cancelled or expired. */
  readonly closed?: boolean;
  /** The connections of the answer to a submission. */
  readonly answerConnections?: AnswerConnections;
  /** The code and outcome of a replayed problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** The facts of an answer besides the adapter's reading. */
export interface AnswerFacts {
  /** The caller's input. */
  readonly input: CheckedInput;
  /** The exchange in which the insurer acted; for a call that changes nothing, the last exchange. */
  readonly decisive: InsurerExchange;
  readonly last: InsurerExchange;
  readonly answerConnections: AnswerConnections;
  readonly stage: RequestStage;
  /** The insurer's bodies, as the adapter decoded them. */
  readonly bodies: readonly DecodedBody[];
}
