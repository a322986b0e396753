import { expect, it } from "vitest";
import { bareInsurer, ok, turns } from "../harness/bare-server.ts";
import { failureOf } from "../harness/failure.ts";
import { exchange, transport } from "../harness/send.ts";

const path = (request: string): string => request.replace("GET /", "");
const interim = "HTTP/1.1 100 Continue\r\n\r\n";

it.each([
  ["100", interim],
  ["100 with headers, twice", `HTTP/1.1 100 Continue\r\nx: y\r\n\r\n${interim}`],
  ["100 of HTTP/1.0, then 103", "HTTP/1.0 100 \r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"],
  ["102", "HTTP/1.1 102 Processing\r\n\r\n"],
])(
  "the transport skips interim answers before every answer of a connection: %s",
  async (_, bytes) => {
    const insurer = await bareInsurer((request) => bytes + ok(path(request)));
    const one = transport();
    for (const name of ["a", "b"]) {
      expect((await exchange(one, `${insurer.address}/${name}`)).text).toBe(name);
      await turns();
    }
    expect(insurer.connections).toHaveLength(1);
  },
);

it("the transport skips up to 16 kB of interim answers before each answer", async () => {
  const early = (bytes: number): string => {
    const empty = "HTTP/1.1 100 Continue\r\nx: \r\n\r\n";
    return empty.replace("x: ", `x: ${"y".repeat(bytes - empty.length)}`);
  };
  let before = early(9_000);
  const insurer = await bareInsurer((request) => before + ok(path(request)));
  const one = transport();
  for (const name of ["a", "b", "c"]) {
    expect((await exchange(one, `${insurer.address}/${name}`)).text).toBe(name);
    await turns();
  }
  before = early(8_192).repeat(2);
  expect((await exchange(one, `${insurer.address}/d`)).text).toBe("d");
  expect(insurer.connections).toHaveLength(1);
});

it("the transport skips an interim answer that arrives byte by byte", async () => {
  const insurer = await bareInsurer(() => "");
  const answer = exchange(transport(), insurer.address);
  await expect.poll(() => insurer.requests[0], { interval: 1 }).toHaveLength(1);
  for (const byte of interim + ok("x")) {
    insurer.connections[0]?.write(byte);
    await turns(2);
  }
  expect((await answer).text).toBe("x");
});

it("the transport closes an idle connection if an interim answer arrives", async () => {
  const insurer = await bareInsurer(() => ok("x"));
  const one = transport();
  await exchange(one, insurer.address);
  insurer.connections[0]?.write(interim);
  await turns();
  expect((await exchange(one, insurer.address)).isNewConnection).toBe(true);
});

it("a request fails if the insurer sends interim answers without end", async () => {
  const insurer = await bareInsurer(() => interim.repeat(1_000));
  const failure = await failureOf(exchange(transport(), insurer.address));
  expect(failure).toMatchObject({ phase: "wait", reason: "failed" });
});
