import { fillPath } from "../contract/path.ts";
import { encodeQuery } from "../contract/query.ts";
import type { Adapter } from "./adapter.ts";

/** The adapter of an insurer that speaks the declared contract itself: paths, parameters and bodies as declared. */
export const declared: Adapter = {
  name: "declared",
  request(endpoint, { params, query, body }, submissionId) {
    return {
      method: endpoint.method,
      path: fillPath(endpoint.path, params) + encodeQuery(query),
      headers: {
        accept: `${endpoint.file?.mediaType ?? "application/json"}, application/problem+json`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(submissionId === null ? {} : { "idempotency-key": submissionId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  },
  answer: (_, answer) => answer,
};
