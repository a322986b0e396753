import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type NamedExamples,
  noDocumentation,
  providerDocument,
} from "@insurance-gateway/reference";
import {
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { generatedExamples, generatedProvider } from "./generated-provider.ts";

const source = fileURLToPath(new URL("./generated-provider.ts", import.meta.url));

/** The built gateway before generated providers. */
export interface GeneratedGateway {
  readonly process: GatewayProcess;
  readonly endpoints: number;
  stop(): Promise<void>;
}

/** Writes so many provider packages, 1,484 endpoints in all for 23 of them, and starts the built gateway with them. */
export async function startGeneratedGateway(
  providers: number,
  endpoints: number,
): Promise<GeneratedGateway> {
  const folder = makeGatewayFolder();
  const scope = join(folder.path, "node_modules/@generated");
  const entries = Array.from({ length: providers }, (_, index) => {
    const id = `insurer-${String.fromCharCode(97 + index)}`;
    const count = Math.floor(endpoints / providers) + (index < endpoints % providers ? 1 : 0);
    writePackage(join(scope, id), id, count);
    return {
      package: `@generated/${id}`,
      upstream: {
        baseUrl: "http://127.0.0.1:9",
        adapter: "declared",
        credentials: { type: "none" },
      },
    };
  });
  folder.writeConfiguration({ providers: entries });
  const process = await startGatewayProcess(folder.path);
  return {
    process,
    endpoints,
    async stop() {
      await process.stop();
      folder.remove();
    },
  };
}

function writePackage(folder: string, id: string, endpoints: number): void {
  const name = id.replace("-", " ").replace(/^./, (letter) => letter.toUpperCase());
  mkdirSync(join(folder, "dist/reference"), { recursive: true });
  const manifest = {
    name: `@generated/${id}`,
    version: "1.0.0",
    type: "module",
    exports: { ".": "./index.js", "./package.json": "./package.json" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  // Node takes the types out of what is outside node_modules only.
  writeFileSync(
    join(folder, "index.js"),
    `import { generatedProvider } from ${JSON.stringify(source)};\nexport const provider = generatedProvider(${JSON.stringify(id)}, ${JSON.stringify(name)}, ${endpoints});\n`,
  );
  const provider = generatedProvider(id, name, endpoints);
  const document = providerDocument({
    provider,
    package: manifest,
    documentation: { ...noDocumentation, endpoints: textsOf(Object.keys(provider.endpoints)) },
    examples: generatedExamples(provider) as Readonly<Record<string, NamedExamples>>,
  });
  writeFileSync(join(folder, "dist/reference/openapi.json"), JSON.stringify(document));
}

function textsOf(
  names: readonly string[],
): Readonly<Record<string, { text: string; parts: object }>> {
  return Object.fromEntries(
    names.map((name) => {
      const words = name.replaceAll(/([A-Z]|\d+)/g, " $1").toLowerCase();
      return [
        name,
        {
          text: `${words.replace(/^./, (letter) => letter.toUpperCase())} of a customer.`,
          parts: {},
        },
      ];
    }),
  );
}
