import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { providerDocument } from "../document/provider-document.ts";
import { readProviderPackage } from "./provider-package.ts";
import { writeDocument } from "./write-document.ts";

/** Run by a provider's build, in its folder and after its modules are built: writes what is derived into `dist/reference`. */
const folder = process.cwd();
const source = await readProviderPackage(folder, "dist");
const target = join(folder, "dist/reference");
mkdirSync(target, { recursive: true });
writeFileSync(join(target, "openapi.json"), writeDocument(providerDocument(source)));
