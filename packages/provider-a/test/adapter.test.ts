import { callAdapter } from "@insurance-gateway/testkit";
import { describe, expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { listBrands } from "../src/index.ts";

/** Lists the brands from an insurer that answers with a body. */
function list(body: unknown, status = 200) {
  return callAdapter(adapter, listBrands, {}, [{ status, body: JSON.stringify(body) }]);
}

const head = { Header: { CultureName: "GR", ServiceVersion: "1" }, Success: true, Errors: [] };

describe("the adapter of provider A", () => {
  it("the adapter requests the brands by POST with the insurer's header, and sorts the brands by name", async () => {
    const { answer, sent } = await list({
      ...head,
      MotorItems: [
        { ItemID: 0, ItemName: "-", ItemCode: "0" },
        { ItemID: 9, ItemName: " Škoda", ItemCode: "SKO" },
        { ItemID: 4, ItemName: "Toyota", ItemCode: "TOY" },
        { ItemID: 5, ItemName: "Citroën", ItemCode: "007" },
        { ItemID: 6, ItemName: "Nothing", ItemCode: "-1" },
      ],
    });
    expect(sent).toMatchObject([
      {
        method: "POST",
        path: "/MotorService/GetListItems",
        headers: { "content-type": "application/json" },
        body: '{"Header":{"CultureName":"GR","ServiceVersion":"1"},"ListItems":1}',
        acts: false,
      },
    ]);
    expect(answer).toEqual({
      type: "value",
      status: 200,
      value: {
        items: [
          { code: "007", name: "Citroën" },
          { code: "SKO", name: "Škoda" },
          { code: "TOY", name: "Toyota" },
        ],
      },
    });
  });

  it("the adapter recognises an error of the insurer in an answer with the status 200", async () => {
    const refused = {
      ...head,
      Success: false,
      Errors: [{ ErrorCode: "CLOSED", ErrorString: "x" }],
    };
    expect((await list(refused)).answer).toMatchObject({
      type: "refusal",
      status: 200,
      content: { Errors: [{ ErrorCode: "CLOSED" }] },
    });
  });

  it.each([
    ["no statement of success", { MotorItems: [] }],
    ["a text as the statement of success", { ...head, Success: "true", MotorItems: [] }],
    ["no list of brands", head],
    ["a number as a brand's code", { ...head, MotorItems: [{ ItemName: "x", ItemCode: 7 }] }],
  ])("the adapter reports the insurer's answer as unreadable: %s", async (_, body) => {
    expect((await list(body)).answer).toMatchObject({ type: "unreadable", status: 200 });
  });
});
