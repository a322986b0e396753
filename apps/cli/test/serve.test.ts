import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endOf, makeGatewayFolder, programEnvironment } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { insurerConfiguration, makeStore, openRaw } from "./gateway.ts";

const program = fileURLToPath(new URL("serve-process.ts", import.meta.url));

const issuer = {
  issuer: "https://login.example",
  audience: "insurance-gateway",
  jwksUri: "https://login.example/jwks.json",
  algorithms: ["RS256"],
};

/** A gateway that runs from its sources in a separate process. */
interface ServingProcess {
  readonly child: ChildProcess;
  readonly ended: ReturnType<typeof endOf>;
  /** Returns the printed lines without the log. */
  readonly printed: () => readonly string[];
  readonly output: () => string;
}

async function start(
  way: "alone" | "ending",
  letter: string,
  configuration: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<ServingProcess> {
  const folder = makeGatewayFolder({
    providers: [
      {
        ...insurerConfiguration(letter, "http://127.0.0.1:9"),
        timeouts: { totalMs: 2_000, submissionMs: 3_000 },
      },
    ],
    shutdown: { noticeMs: 100 },
    ...configuration,
  });
  await makeStore({ data: join(folder.path, "data"), databaseUrl: undefined });
  const child = fork(program, [way], {
    cwd: folder.path,
    execArgv: ["--conditions=@insurance-gateway/source", "--no-warnings"],
    env: programEnvironment({ PORT: "0", OPERATIONS_PORT: "0", ...environment }),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    folder.remove();
  });
  let output = "";
  child.stdout?.on("data", (text) => (output += text));
  return {
    child,
    ended: endOf(child),
    output: () => output,
    printed: () => withoutAddresses(output).filter((line) => !line.startsWith("{")),
  };
}

function withoutAddresses(text: string): readonly string[] {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replace(/#start=[\w-]{43}$/m, "#start=SECRET")
    .split("\n");
}

function addressIn(output: string): string {
  return /Insurance Gateway +(http\S+)/.exec(output)?.[1] ?? "";
}

async function isListening(output: string): Promise<boolean> {
  try {
    const { socket } = await openRaw(addressIn(output));
    socket.destroy();
    return true;
  } catch {
    return false;
  }
}

const addresses = (secret = ""): readonly string[] => [
  "",
  "  Insurance Gateway   ADDRESS",
  `  Reference           ADDRESS/reference${secret}`,
  "  Operations          ADDRESS",
];
const firstCall = [
  "  A first call",
  '    curl -H "Authorization: Bearer $TOKEN" ADDRESS/provider-a/auto/brands',
];

it.each([
  [
    "started by npm, with a lookup",
    "a",
    {},
    [
      ...addresses("#start=SECRET"),
      "  A token             TOKEN=$(npm run --silent token)",
      ...firstCall,
    ],
    "SIGINT",
  ],
  [
    "with issuers, without a lookup",
    "d",
    { issuers: [issuer] },
    [...addresses(), "  A token             # from your issuer, as configured in `issuers`"],
    "SIGTERM",
  ],
] as const)(
  "the command `serve` prints the gateway's addresses and an example call, and ends with exit code 0 after a signal: %s",
  async (_, letter, configuration, lines, signal) => {
    const environment = { npm_lifecycle_event: "start" };
    const { child, ended, output, printed } = await start(
      "alone",
      letter,
      configuration,
      environment,
    );
    await expect.poll(printed).toEqual([...lines, "", ""]);
    const connection = await openRaw(addressIn(output()));
    connection.send("GET / HTTP/1.1\r\n");
    child.kill(signal);
    await expect.poll(() => isListening(output())).toBe(false);
    // The gateway still answers a request whose first bytes arrived before the signal.
    connection.send("host: x\r\n\r\n");
    expect((await connection.answer())?.status).toBe(401);
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  },
);

it("the command `serve` prints nothing and ends with exit code 0 if SIGTERM arrives while the gateway starts", async () => {
  const { ended, printed } = await start("ending", "d");
  expect(await ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(printed()).toEqual([""]);
});
