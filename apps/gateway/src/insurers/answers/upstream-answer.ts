import type { Readable } from "node:stream";
import type { DecodedBody } from "@insurance-gateway/adapter";
import type {
  AnswerConnections,
  CheckedInput,
  RequestStage,
} from "@insurance-gateway/core/runtime";
import type { AddEndListener, InsurerExchange } from "../exchange/insurer-exchange.ts";
import type { CacheSharing } from "./lookup-sharing.ts";

/** The caller's answer: JSON as text, or a document as a stream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Readable;
  /** The insurer's own bytes of a text content in UTF-8; the gateway sends these bytes in place of the text. */
  readonly bytes?: Buffer;
  /** The content compressed with gzip; only for a cached lookup answer. */
  readonly compressed?: Buffer;
  /** Accounts that may receive the cached answer to a lookup. Default: all accounts. */
  readonly sharing?: CacheSharing;
  /** Number of bytes of a text content in UTF-8; undefined if they were not counted. */
  readonly contentLength?: number | undefined;
  /** Registers a listener for the moment when the insurer has sent all of a document. */
  readonly whenEnded?: AddEndListener;
  /** The insurer's identifier of the created item. */
  readonly insurerId?: string | null;
  /** The creation time of the item, as the insurer wrote it. */
  readonly createdAt?: unknown;
  /** True if the application has ended without cover: declined, cancelled or expired. */
  readonly closed?: boolean;
  /** The connections on which the answers to a submission came. */
  readonly answerConnections?: AnswerConnections;
  /** The code and outcome of a replayed problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** The facts about an answer that are known besides the adapter's interpretation. */
export interface AnswerFacts {
  /** The caller's input. */
  readonly input: CheckedInput;
  /** The exchange of the request on which the insurer acted; for a call that changes nothing, the last exchange. */
  readonly decisive: InsurerExchange;
  readonly last: InsurerExchange;
  readonly answerConnections: AnswerConnections;
  readonly stage: RequestStage;
  /** The insurer's bodies, as the adapter decoded them. */
  readonly bodies: readonly DecodedBody[];
}
