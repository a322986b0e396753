import { expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";

const upstream = { package: "@insurance-gateway/provider-d", upstream: "sandbox" };
/** An application that the insurer refuses, because of the scenario REJECTED. */
const json = applicationBody("000000048");
const headers = { "idempotency-key": "case-1" };

async function typeOf(response: Response): Promise<string> {
  const { type }: { readonly type: string } = JSON.parse(await response.text());
  return type;
}

async function typesOf(gateway: GatewayInProcess): Promise<readonly string[]> {
  const answered = await gateway.ask("/provider-d/applications", { json, headers });
  const state = await gateway.ask("/submissions?segment=provider-d&endpoint=createApplication", {
    headers,
  });
  const { answer }: { readonly answer: { readonly body: { readonly type: string } } } = JSON.parse(
    await state.text(),
  );
  return [await typeOf(answered), answer.body.type];
}

it("a problem's `type` is the current address of the page about the problem's code, even in a stored answer", async () => {
  const first = await startInProcess({ providers: [upstream] });
  const { address, folder } = first;
  expect(await typesOf(first)).toEqual(
    Array(2).fill(`${address}/reference/errors/PROVIDER_REJECTED`),
  );
  expect((await fetch(`${address}/reference/errors/PROVIDER_REJECTED`)).status).toBe(200);
  await first.end();

  const moved = { address: "https://insurers.example" };
  const second = await startInProcess({ providers: [upstream], reference: moved }, {}, { folder });
  const type = "https://insurers.example/reference/errors/PROVIDER_REJECTED";
  expect(await typesOf(second)).toEqual([type, type]);
  await second.end();

  const hidden = { served: false };
  const third = await startInProcess({ providers: [upstream], reference: hidden }, {}, { folder });
  expect(await typesOf(third)).toEqual(["about:blank", "about:blank"]);
  expect(await typeOf(await third.ask("/nowhere"))).toBe("about:blank");
  await third.end();

  const behind = { trustedProxies: ["10.0.0.0/8"] };
  const fourth = await startInProcess({ providers: [upstream], listen: behind }, {}, { folder });
  const path = "/reference/errors/PROVIDER_REJECTED";
  expect(await typesOf(fourth), "callers cannot reach the address behind a proxy").toEqual([
    path,
    path,
  ]);
  await fourth.stop();
});
