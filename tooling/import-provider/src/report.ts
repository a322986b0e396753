/** Something of the document that the written package says differently, or not at all. */
export interface Loss {
  /** The operation it belongs to, `GET /policies/{id}`; "" for the document as a whole. */
  readonly operation: string;
  /** Where the document says it, as a JSON Pointer. */
  readonly pointer: string;
  /** The importer's action, as a sentence. */
  readonly effect: string;
  /**
   * `lost`: a caller cannot do what the document describes. `loosened`: everything works, but a rule of the document is
   * not checked. `doubtful`: the document may say something else than the insurer does.
   */
  readonly severity: "lost" | "loosened" | "doubtful";
}

/** Collects losses while a document is read. */
export interface LossReport {
  /** Adds a loss; one that was reported before is not repeated. */
  add(loss: Loss): void;
  /** Every loss, in the order of its operation and place. */
  all(): readonly Loss[];
}

/** Makes an empty report. */
export function lossReport(): LossReport {
  const found = new Map<string, Loss>();
  return {
    add: (loss) => {
      const key = [loss.operation, loss.pointer, loss.effect].join("\n");
      if (!found.has(key)) found.set(key, loss);
    },
    all: () => [...found.values()].toSorted(byPlace),
  };
}

function byPlace(one: Loss, other: Loss): number {
  const [left, right] = [one, other].map(
    ({ effect, operation, pointer }) => `${operation}\n${pointer}\n${effect}`,
  );
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

/** The document cannot be imported as it is, or one operation of it; the message says where and what to do. */
export class ImportFault extends Error {
  /** Where the document says it, as a JSON Pointer. */
  readonly pointer: string;

  constructor(message: string, pointer = "") {
    super(message);
    this.name = "ImportFault";
    this.pointer = pointer;
  }
}
