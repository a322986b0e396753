import { join, resolve } from "node:path";
import { resolvePackageFile } from "@insurance-gateway/adapter/installation";
import type { SandboxCredential } from "@insurance-gateway/adapter/sandbox";
import { loadDeclared } from "@insurance-gateway/gateway/folder";
import { type ServedSandboxes, serveSandboxes } from "@insurance-gateway/sandbox/serve";

/** The options of the command `sandbox`. */
export interface SandboxOptions {
  readonly port: number;
  readonly data?: string;
}

/** Serves the simulated insurers of the configured providers until SIGTERM or SIGINT. */
export async function serveSandbox({ data, port }: SandboxOptions): Promise<void> {
  const { configuration } = await loadDeclared(process.env, process.cwd());
  const names = new Set(configuration.providers.map((provider) => provider.package));
  const files = [...names].flatMap((name) => {
    const file = resolvePackageFile(configuration.folder, name, "/sandbox");
    return file === null ? [] : [file];
  });
  const ahead = process.env.SANDBOX_AHEAD_MINUTES;
  const served = await serveSandboxes({
    sandboxes: files,
    port,
    ...(data === undefined ? {} : { recordsFile: join(resolve(data), "records.sqlite") }),
    ...(ahead === undefined ? {} : { aheadMinutes: ahead }),
  });
  process.stdout.write(startMessageOf(served));
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  process.once("SIGINT", end).once("SIGTERM", end);
  await ended;
  process.off("SIGINT", end).off("SIGTERM", end);
  await served.close();
}

function startMessageOf({ address, insurers }: ServedSandboxes): string {
  const lines = insurers.map(
    (insurer) =>
      `  ${insurer.id}   ${insurer.address}   ${insurer.credentials.map(credentialText).join(", ")}`,
  );
  return ["", `  Simulated insurers   ${address}`, ...lines, "", ""].join("\n");
}

/** Describes a credential of a simulated insurer, with the secret, which is valid only for the simulation. */
function credentialText(credential: SandboxCredential): string {
  switch (credential.type) {
    case "headers":
      return Object.entries(credential.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join(", ");
    case "login":
    case "message":
      return `${credential.type} ${credential.username} / ${credential.password}`;
    case "oauth2":
      return `OAuth 2 at ${credential.path}: ${credential.clientId} / ${credential.clientSecret}`;
  }
}
