import { afterEach, describe, expect, it } from "vitest";
import { problemIn } from "../../harness/problem.ts";
import { detailOf, type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { lookup, QUOTE } from "./raw-case.ts";

let gateway: LimitedGateway;
afterEach(() => gateway.stop());

function post(body: string): Promise<Response> {
  return gateway.ask("/provider-e/life/core/fast-pension-quote", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

describe("the maximum number of connections", () => {
  it("the gateway closes each new connection above the maximum of open connections, until an open connection has ended", async () => {
    gateway = await startLimited({ connections: 3 });
    const open = await Promise.all([1, 2, 3].map(() => gateway.begin(lookup())));
    for (const connection of open) expect((await connection.answer())?.status).toBe(200);

    const tooMany = await gateway.begin(lookup());
    expect(await tooMany.answer()).toBeNull();
    for (const connection of open) connection.send(gateway.fill(lookup()));
    for (const connection of open) expect((await connection.answer())?.status).toBe(200);

    open[0]?.socket.end();
    await open[0]?.ended;
    const later = async (): Promise<number | undefined> =>
      (await (await gateway.begin(lookup("connection: close"))).answer())?.status;
    await expect.poll(later).toBe(200);
    for (const connection of open) connection.socket.destroy();
  });
});

describe("the maximum size of a body", () => {
  it("a request body may have at most the configured number of bytes", async () => {
    gateway = await startLimited({ bodyBytes: 1_024 });
    expect((await post(QUOTE.padEnd(1_024))).status).toBe(200);
    const response = await post(QUOTE.padEnd(1_025));
    expect(response.status).toBe(413);
    expect((await problemIn(response)).detail).toContain("at most 1 kB");
  });

  it("a caller that sends a request body of 10 MB receives a problem that states the maximum size of a body", async () => {
    gateway = await startLimited({ bodyBytes: 1_500 });
    const response = await post(" ".repeat(10_000_000));
    expect(response.status).toBe(413);
    expect((await problemIn(response)).detail).toContain("at most 1500 bytes");
  });

  it("the gateway refuses a JSON body with more than the configured number of nested levels", async () => {
    gateway = await startLimited({ jsonDepth: 4 });
    const deep = await post(QUOTE.replace("{", '{"x":[[[[1]]]],'));
    expect((await problemIn(deep)).detail).toContain("deeper than 4 levels");
    const shallow = await post(QUOTE.replace("{", '{"x":[[[1]]],'));
    expect((await problemIn(shallow)).code).toBe("VALIDATION_FAILED");
  });
});

describe("the maximum size and number of headers", () => {
  it("the gateway refuses a request whose headers exceed the configured number of bytes or of headers", async () => {
    gateway = await startLimited({ headerBytes: 4_096, headers: 10 });
    const large = await (await gateway.begin(lookup(`x: ${"y".repeat(4_096)}`))).answer();
    expect([large?.status, detailOf(large)]).toEqual([431, expect.stringContaining("4 kB")]);
    const names = "abcdefghi".split("").map((name) => `${name}: 1`);
    const many = await gateway.begin(lookup(...names));
    expect(detailOf(await many.answer())).toContain("at most 10 headers");
    many.send(gateway.fill(lookup(...names.slice(1), "connection: close").replace("i: 1\r\n", "")));
    expect((await many.answer())?.status).toBe(200);
  });
});
