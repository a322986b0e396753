import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Prints the providers' published documents and the reference's pages after a changed title in core. It runs in a
 * separate process. Arguments: the title and its replacement.
 */
const [title = "", changed = ""] = process.argv.slice(2);
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/core/src/problems/codes.ts")) return loaded;
    return { ...loaded, source: String(loaded.source).replaceAll(title, changed) };
  },
});
const { createSite } = await import("@insurance-gateway/reference");
const { makeDocuments } = await import("../../src/documents.ts");

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const documents = await makeDocuments(root);
const site = createSite({
  providers: documents.map(({ document, source: { provider } }) => ({
    id: provider.id,
    segment: provider.id,
    name: provider.name,
    lines: provider.lines,
    document,
    changelog: null,
  })),
  scenarios: [],
  address: "https://gateway.example",
  basePath: "",
  developmentToken: false,
  limits: [],
});
const pages = [...site].filter(
  ([path, { mediaType }]) => !path.includes("/assets/") && /text|json/.test(mediaType),
);
const contents = await Promise.all(
  pages.map(async ([path, { content }]) => [path, String(await content())] as const),
);
process.stdout.write(
  JSON.stringify({
    published: Object.fromEntries(documents.map(({ file, text }) => [file, text])),
    served: Object.fromEntries(contents),
  }),
);
