import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportedProvider } from "../../src/import-provider.ts";
import { temporaryFolder } from "../sample.ts";
import { answer, element, importing, int, wsdl } from "../small-wsdl.ts";

describe("policies that require MTOM", () => {
  const policy = (attributes: string): string =>
    `<wsp:Policy xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:wsu="u:wsu" wsu:Id="mtom">
       <wsp:ExactlyOne><wsp:All><m:OptimizedMimeSerialization ${attributes}
         xmlns:m="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"/></wsp:All></wsp:ExactlyOne>
     </wsp:Policy>`;
  const reference =
    '<wsp:PolicyReference xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy" URI="#mtom"/>';

  /** Returns the losses of a WSDL whose binding refers to a policy. */
  function lossesWith(attributes: string): ImportedProvider["losses"] {
    const text = wsdl(element("op", int("a")) + answer, "op")
      .replace("<types>", `${policy(attributes)}<types>`)
      .replace("<s:binding ", `${reference}<s:binding `);
    const from = join(temporaryFolder(), "main.wsdl");
    writeFileSync(from, text);
    return importing(from)().losses;
  }

  it("the importer reports the loss of an operation, with the place in the WSDL, if a policy requires MTOM messages", () => {
    expect(lossesWith("")).toEqual([
      {
        operation: "POST /op",
        pointer: "main.wsdl: definitions/Policy",
        effect: expect.stringMatching(/^The messages must be MTOM messages/),
        severity: "lost",
      },
    ]);
  });

  it("the importer reports no loss of an operation if a policy in the WSDL makes MTOM messages optional", () => {
    expect(lossesWith('wsp:Optional="true"')).toEqual([]);
  });
});
