import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StorePlace } from "../../src/store/open-store.ts";
import { makeStoreFolder } from "./store-places.ts";
import { fillPlace, openFilesBelow, serveOnce } from "./transfer-between.ts";

/** Stores in files that tests copy: starting a store takes long. */
export interface StoreTemplates {
  /** The place of a template, to be read. */
  place(name: string): StorePlace;
  remove(): void;
}

/** Makes a template for each name, with so many rows, and one without any: `empty`. */
export async function makeStoreTemplates(
  filled: Readonly<Record<string, Parameters<typeof fillPlace>[1]>>,
): Promise<StoreTemplates> {
  const folder = makeStoreFolder();
  const place = (name: string): StorePlace => ({
    data: join(dirname(folder.file), name),
    databaseUrl: undefined,
  });
  await serveOnce(place("empty"));
  for (const [name, rows] of Object.entries(filled)) {
    cpSync(place("empty").data, place(name).data, { recursive: true });
    await fillPlace(place(name), rows);
  }
  return { place, remove: () => folder.remove() };
}

/** A folder of one test, for its stores and its exports. */
export interface ExportFolder {
  /** The path of a file in it. */
  readonly path: (name: string) => string;
  /** A place for a store in a file, which is not there yet. */
  readonly fileIn: (name: string) => StorePlace;
  /** A store in a file with the rows of a template. */
  copyOf(template: StorePlace, as?: string): StorePlace;
  /** Removes it, and returns which of its files were still open. */
  remove(): readonly string[];
}

/** Makes one. */
export function makeExportFolder(): ExportFolder {
  const folder = makeStoreFolder();
  const root = dirname(dirname(folder.file));
  const fileIn = (name: string): StorePlace => ({ data: join(root, name), databaseUrl: undefined });
  return {
    path: (name) => join(root, name),
    fileIn,
    copyOf(template, as = "source") {
      const place = fileIn(as);
      cpSync(template.data, place.data, { recursive: true });
      return place;
    },
    remove() {
      const left = openFilesBelow(root);
      folder.remove();
      return left;
    },
  };
}
