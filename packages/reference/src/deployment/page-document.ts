import { server } from "../document/imprint.ts";
import type { JsonSchema, OpenApiDocument, PathItem } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import { mapSubschemas } from "../document/subschemas.ts";
import { snippetsOf } from "../snippets/snippets.ts";
import { type Deployment, deployedDocument } from "./deployment.ts";

type PageInfo = Omit<OpenApiDocument["info"], "contact" | "license">;

/** A document for the page only. */
export interface PageDocument extends Omit<OpenApiDocument, "info"> {
  readonly info: PageInfo;
}

/**
 * Writes a provider's document for its page: with snippets, and without the limits that only say how large an answer
 * can be as a whole.
 * @param serverUrl - of the gateway for the page, as a path on its host
 */
export function pageDocument(
  document: OpenApiDocument,
  deployment: Deployment,
  serverUrl: string,
): PageDocument {
  const deployed = deployedDocument(document, deployment);
  const paths: Record<string, PathItem> = {};
  for (const placed of operationsOf(deployed)) {
    const { method, operation, path } = placed;
    const snippets = snippetsOf(placed, deployed, deployment);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { ...operation, "x-codeSamples": snippets },
    };
  }
  return {
    ...deployed,
    info: withoutImprint(deployed.info),
    servers: [server(serverUrl)],
    paths,
    components: {
      ...deployed.components,
      schemas: Object.fromEntries(
        Object.entries(deployed.components.schemas).map(([name, schema]) => [
          name,
          withoutNoise(schema),
        ]),
      ),
    },
  };
}

/** Readers of the page do not need the contact and the licence. */
function withoutImprint({
  contact: _contact,
  license: _license,
  ...info
}: OpenApiDocument["info"]): PageInfo {
  return info;
}

const LONGEST_WORTH_SAYING = 10_000;
const EVERY_TEXT = "^[\\s\\S]*$";

/** Keywords that would distract at every field. */
function withoutNoise(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(
        (keyword === "maxLength" || keyword === "maxItems") &&
        Number(value) > LONGEST_WORTH_SAYING
      ) &&
      !(keyword === "pattern" && value === EVERY_TEXT) &&
      !(keyword === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
      keyword !== "x-extensible-enum",
  );
  return mapSubschemas(Object.fromEntries(kept), (part) => withoutNoise(part.schema));
}
