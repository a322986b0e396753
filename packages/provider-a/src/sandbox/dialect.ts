import { type Mapping, writeMapped } from "@insurance-gateway/adapter";
import {
  type DialectAnswer,
  jsonAnswer,
  jsonBody,
  type RawAnswer,
  type SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import { valueAt } from "@insurance-gateway/core/contract";
import { header, itemRows, lists } from "../dialect.ts";

/**
 * The insurer's own API: one call for all lists, an object `Header` in every message, and refusals with the status 200.
 */
export const dialect: SandboxDialect = {
  routes: [
    {
      method: "POST",
      path: "/MotorService/GetListItems",
      read(request) {
        const asked = jsonBody(request);
        if (valueAt(asked, "/Header/CultureName") === undefined)
          return { answer: refusal("INPUT", "The header is missing.") };
        return (Number(valueAt(asked, "/ListItems") ?? 0) & lists.brands) === 0
          ? { answer: refusal("SELECTOR", "No list is chosen.") }
          : { call: { endpoint: "listBrands", input: {} } };
      },
      write: writeItems,
    },
  ],
};

const listRows: Mapping = [{ list: ["/items", "/MotorItems"], each: itemRows }];

/**
 * Writes a list in the insurer's format. An entry "nothing selected" comes first; the order of the other entries has no
 * meaning.
 */
function writeItems(answer: DialectAnswer): RawAnswer {
  const mapped = writeMapped(listRows, "body" in answer ? answer.body : null);
  if (!mapped.fits) return refused(answer);
  const { MotorItems }: { MotorItems?: object[] } = Object(mapped.value);
  const items = (MotorItems ?? []).map((item, index) => ({ ItemID: index + 1, ...item }));
  const nothingChosen = { ItemID: 0, ItemCode: "0", ItemName: "-" };
  return jsonAnswer(200, {
    Header: header,
    Success: true,
    Errors: [],
    MotorItems: [nothingChosen, ...items.toReversed()],
  });
}

function refused(answer: DialectAnswer): RawAnswer {
  return refusal("INPUT", "problem" in answer ? answer.problem.detail : "");
}

function refusal(ErrorCode: string, ErrorString: string): RawAnswer {
  const Errors = [{ ErrorCode, ErrorString }];
  return jsonAnswer(200, { Header: header, Success: false, Errors });
}
