import { loadConfiguration } from "../configuration/load.ts";
import { openSubmissionKeys, storePlace } from "../configuration/submissions.ts";
import { openAlone } from "../store/alone.ts";
import { createEncryption } from "../submissions/encryption.ts";
import {
  exportStore,
  importStore,
  type TransferParts,
  type Transferred,
} from "../submissions/export-import.ts";
import { print } from "./output/print.ts";
import { createProgress, type Progress } from "./output/progress.ts";

/** Writes everything of the configured store to an encrypted file. */
export async function exportSubmissions(path: string): Promise<void> {
  const done = await transfer(path, async (parts, open) => {
    const store = await open("export");
    try {
      return await exportStore({ ...parts, store });
    } finally {
      await store.close();
    }
  });
  await print(
    `Exported ${amount(done)} to ${path}. A gateway that serves from this store now takes what the file does not have.`,
  );
}

/** Writes everything of an export into the configured store. */
export async function importSubmissions(path: string): Promise<void> {
  const done = await transfer(path, (parts, open) => importStore(parts, () => open("import")));
  await print(`Imported ${amount(done)} from ${path}. Gateways may serve from this store.`);
}

/** Opens the configured store, for this process alone. */
type Open = (purpose: Parameters<typeof openAlone>[1]) => ReturnType<typeof openAlone>;

async function transfer(
  path: string,
  work: (parts: Omit<TransferParts, "store">, open: Open) => Promise<Transferred>,
): Promise<Transferred> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const keys = await openSubmissionKeys(configuration, process.env, "beside");
  const progress = createProgress(process.stderr);
  const parts = {
    path,
    encryption: createEncryption(keys),
    source: configuration.source,
    progress: rowsShown(progress),
    note: (text: string) => void process.stderr.write(`${text}\n`),
  };
  try {
    return await work(parts, (purpose) =>
      openAlone(storePlace(configuration, process.env), purpose),
    );
  } finally {
    progress.end();
  }
}

/** Shows rows, of how many, and how many in a second. */
function rowsShown(progress: Progress): TransferParts["progress"] {
  const started = performance.now();
  let first: number | undefined;
  return (rows, of) => {
    // What was done before an interruption was not done now.
    first ??= rows;
    const seconds = Math.max(performance.now() - started, 1) / 1_000;
    progress.update(`${rows} of ${of} rows, ${Math.round((rows - first) / seconds)} a second`);
  };
}

function amount({ resolutions, submissions }: Transferred): string {
  return `${submissions} ${submissions === 1 ? "submission" : "submissions"} and ${resolutions} ${resolutions === 1 ? "resolution" : "resolutions"}`;
}
