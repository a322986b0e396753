import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { send } from "./gateway/load.ts";
import { endServersOnSignal, startGateway, startInsurer } from "./gateway/processes.ts";
import { summaryOf } from "./gateway/profile-summary.ts";
import { workNamed } from "./gateway/works.ts";

/** A processor profile of the gateway under one work, and what each module and function takes of it. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: "string", default: "20000" } },
});
/** A gateway that runs from its sources with the profiler on. */
const EXPECTED_PER_SECOND = 1_500;

const [name = ""] = positionals;
const work = workNamed(name);
endServersOnSignal();
const folder = mkdtempSync(join(tmpdir(), "gateway-profile-"));
const insurer = await startInsurer();
const gateway = await startGateway(insurer.origin, {
  name,
  fromSources: true,
  options: ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=500"],
});
const { origin, token } = gateway;
const requests = Number(values.requests);
try {
  await send({
    origin,
    token,
    work: work.name,
    requests,
    connections: 50,
    perSecond: EXPECTED_PER_SECOND,
  });
} finally {
  await gateway.stop();
  await insurer.stop();
}
for (const file of readdirSync(folder).filter((one) => one.endsWith(".cpuprofile"))) {
  const path = join(folder, file);
  process.stdout.write(`${path}\n\n${summaryOf(JSON.parse(readFileSync(path, "utf8")))}\n`);
}
