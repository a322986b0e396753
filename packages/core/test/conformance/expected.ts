/** Differences between the transports that change the results of the calls. */
export interface TransportTraits {
  /** True if the transport proves that nothing was sent when a connection is refused. */
  readonly provesUnsent: boolean;
  /**
   * True if the transport sends a streamed body while it reads the stream, so that the length is unknown at the start.
   */
  readonly streams: boolean;
}

/** Returns the expected result of every call in `calls.ts` over a transport. */
export function expectedResults({
  provesUnsent,
  streams,
}: TransportTraits): Readonly<Record<string, string>> {
  const unanswered = "ConnectionError CONNECTION_FAILED unknown safe";
  const unknown = "OutcomeUnknownError CONNECTION_FAILED unknown same_key";
  const unsent = "ConnectionError CONNECTION_FAILED not_sent safe";
  const invalid = "ResponseInvalidError RESPONSE_INVALID unknown safe";
  const late = "ConnectionError TIMEOUT unknown safe";
  const answer = 'answered {"text":"Ελένη"}';
  return {
    "an answer": answer,
    "a compressed answer": answer,
    "an answer in pieces": answer,
    "an answer after a problem that advises a retry": answer,
    "a redirect": invalid,
    "a page of HTML": invalid,
    "an answer that is too large": invalid,
    "an answer that is not UTF-8": invalid,
    "a connection that breaks": unanswered,
    "a connection that breaks in the answer": unanswered,
    "no answer in time": late,
    "half an answer in time": late,
    "a call that is cancelled during the answer": "ConnectionError CANCELLED unknown safe",
    "nobody listens": provesUnsent ? unsent : unanswered,
    "a closed client": unsent,
    "a quote": answer,
    "a submission": 'answered {"text":"key-created 21"}',
    "a refused submission": "ProblemError PROVIDER_REJECTED rejected never",
    "a submission whose connection breaks": unknown,
    "a submission whose connection breaks in the answer": unknown,
    "a submission where nobody listens": provesUnsent ? unsent : unknown,
    "a submission with a closed client": unsent,
    "a submission by its key": 'answered {"key":"case-1","outcome":"succeeded"}',
    "an upload of bytes": 'answered {"text":"note photo true with a length"}',
    "an upload of a stream": `answered {"text":"note photo true ${streams ? "chunked" : "with a length"}"}`,
    "a document": "answered 1048581",
    "a document as a stream": "answered 1048581",
    "a document that breaks": unanswered,
    "a discarded document": "answered undefined",
    "a search": "answered [1,2,3]",
  };
}
