/** A part of the document that the written package changes or omits. */
export interface Loss {
  /** The affected operation, `GET /policies/{id}`; "" for the whole document. */
  readonly operation: string;
  /** The place in the insurer's document, as a JSON Pointer. */
  readonly pointer: string;
  /** The importer's action, as a sentence. */
  readonly effect: string;
  /**
   * `lost`: callers cannot do everything that the document describes. `loosened`: everything works, but the package
   * does not check a rule of the document. `doubtful`: the insurer may behave differently from the document.
   */
  readonly severity: "lost" | "loosened" | "doubtful";
}

/** Collects losses while a document is read. */
export interface LossReport {
  /** Adds a loss, except a loss that was already reported. */
  add(loss: Loss): void;
  /** Returns all losses, ordered by operation and place. */
  all(): readonly Loss[];
}

/** Creates an empty report. */
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

/** A document or an operation that cannot be imported. The message states the place and the remedy. */
export class ImportFault extends Error {
  /** The place in the insurer's document, as a JSON Pointer. */
  readonly pointer: string;

  constructor(message: string, pointer = "") {
    super(message);
    this.name = "ImportFault";
    this.pointer = pointer;
  }
}
