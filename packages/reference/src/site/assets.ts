import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder of the built styles, scripts and the OpenAPI viewer, beside the modules. */
const folder = join(
  dirname(createRequire(import.meta.url).resolve("@insurance-gateway/reference/package.json")),
  "dist/assets/",
);

const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** A file to which pages refer. */
export interface Asset {
  readonly mediaType: string;
  readonly read: () => Buffer;
}

/** Finds the built assets by name, with `/` between folders. */
export function findAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(folder + name).isFile());
  return new Map(
    names.map((name) => [
      name,
      {
        mediaType: mediaTypes[name.replace(/^.*\./, "")] ?? "application/octet-stream",
        read: () => readFileSync(folder + name),
      },
    ]),
  );
}
