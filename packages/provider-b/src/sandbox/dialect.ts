import { writeMapped } from "@insurance-gateway/adapter";
import {
  jsonAnswer,
  type QueriedPaging,
  queriedPage,
  type RawAnswer,
  type SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import { check } from "@insurance-gateway/core/contract";
import { countryRows, pageSize } from "../dialect.ts";
import { countryList } from "../schemas/country-list.ts";

/** The API key that this simulated insurer accepts. */
const apiKey = "sandbox-key-b";

const paging: QueriedPaging = { position: "page", size: "size", most: pageSize };

/** The insurer's own API: pages that are counted from 0, and an API key. */
export const dialect: SandboxDialect = {
  credentials: [{ type: "headers", headers: { "x-api-key": apiKey } }],
  refuse: ({ headers }) =>
    headers["x-api-key"] === apiKey ? null : refusal(401, "API_KEY", "The key is not known."),
  routes: [
    {
      method: "GET",
      path: "/v2/travel/countries",
      read: ({ query }) =>
        queriedPage(query, paging) === null
          ? { answer: refusal(400, "PAGE", "The page or its size is out of range.") }
          : { call: { endpoint: "listCountries", input: {} } },
      write(answer, { query }) {
        const page = queriedPage(query, paging);
        return "body" in answer && page !== null
          ? pageOf(answer.body, page)
          : refusal(answer.status, "REQUEST", "The request cannot be carried out.");
      },
    },
  ],
};

function pageOf(list: unknown, { position, size }: { position: number; size: number }): RawAnswer {
  const checked = check(countryList, list);
  const countries = checked.valid ? checked.value.items : [];
  const from = position * size;
  const mapped = writeMapped(
    [{ list: ["", "/content"], each: countryRows }],
    countries.slice(from, from + size),
  );
  if (!mapped.fits) return refusal(500, "INTERNAL", "A country cannot be written.");
  const numbers = { page: position, size, totalElements: countries.length };
  return jsonAnswer(200, { ...Object(mapped.value), ...numbers });
}

function refusal(status: number, code: string, message: string): RawAnswer {
  return jsonAnswer(status, { error: { code, message } });
}
