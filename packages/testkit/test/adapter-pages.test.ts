import { type Adapter, jsonDialect } from "@insurance-gateway/adapter";
import {
  defineSandbox,
  jsonAnswer,
  type QueriedPaging,
  queriedPage,
} from "@insurance-gateway/adapter/sandbox";
import {
  defineProvider,
  type PageQuery,
  type Search,
  search,
} from "@insurance-gateway/core/contract";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { callAdapter, conformanceFaults } from "../src/index.ts";

interface Claim {
  claimId: string;
}
const searchClaims: Search<{ query: PageQuery; item: Claim }> = search({
  provider: "provider-m",
  path: "/claims",
  query: strict<PageQuery>(pageQuery()),
  item: loose<Claim>({ claimId: text() }),
});
const provider = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["marine"],
  endpoints: { searchClaims },
});

/** The adapter of an insurer with numbered pages of 50 items. The items 50 to 149 are on three of these pages. */
const adapter = jsonDialect(provider, {
  failures: [],
  calls: {
    searchClaims: {
      method: "GET",
      path: "/api/claims",
      query: [
        ["/page/position", "/page"],
        ["/page/size", "/size"],
      ],
      pages: {
        style: "page",
        from: 1,
        most: 50,
        items: "/claims",
        each: [["/claimId", "/claimId"]],
        total: "/count",
      },
    },
  },
});
const insurersPaging: QueriedPaging = { position: "page", size: "size", most: 50 };
const sandbox = defineSandbox({
  provider,
  seed: [],
  scenarios: [],
  handlers: {
    searchClaims: ({ input: { query } }) => ({
      status: 200,
      body: { items: [], start: query?.start ?? 1, limit: query?.limit ?? 20, total: 0 },
    }),
  },
  dialect: {
    routes: [
      {
        method: "GET",
        path: "/api/claims",
        read({ query }) {
          const page = queriedPage(query, insurersPaging);
          if (page === null) return { answer: jsonAnswer(400, {}) };
          const { position, size } = page;
          const start = (position - 1) * size + 1;
          return { call: { endpoint: "searchClaims", input: { query: { start, limit: size } } } };
        },
        write(answer) {
          const { items, total }: { items?: unknown; total?: unknown } = Object(
            "body" in answer ? answer.body : {},
          );
          return jsonAnswer(answer.status, { claims: items, count: total });
        },
      },
    ],
  },
});
const examples = {
  searchClaims: {
    one: {
      summary: "",
      request: {},
      response: { items: [{ claimId: "C-1" }], start: 1, limit: 20, total: 1 },
    },
  },
};

/** An adapter that sends an additional request before each page. */
const asking: Adapter = {
  ...adapter,
  async call(endpoint, input, send, context) {
    await send({ method: "GET", path: "/api/claims?page=1&size=1" });
    return adapter.call(endpoint, input, send, context);
  },
};

describe("requests for one page of a search", () => {
  it("the conformance check refuses an adapter that sends more than three requests for one page of a search", async () => {
    const subject = { id: "provider-m", provider, examples, sandbox };
    expect(await conformanceFaults({ ...subject, adapter })).toEqual([]);
    expect(await conformanceFaults({ ...subject, adapter: asking })).toEqual([
      expect.stringMatching(
        /^searchClaims: .* PageRequestsError: The adapter of provider-m must send at most 3 requests for one page of GET \/claims;/,
      ),
    ]);
  });

  it("callAdapter refuses the fourth request of an adapter for one page of a search", async () => {
    const page = { claims: Array.from({ length: 50 }, () => ({ claimId: "C-1" })), count: 500 };
    const answers = Array.from({ length: 4 }, () => ({ body: JSON.stringify(page) }));
    const query = { start: 50, limit: 100 };
    const { sent } = await callAdapter(adapter, searchClaims, { query }, answers);
    expect(sent).toHaveLength(3);
    await expect(callAdapter(asking, searchClaims, { query }, answers)).rejects.toThrow(
      "must send at most 3 requests for one page",
    );
  });
});
