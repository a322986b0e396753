/** How far a command is, in one line that is written over. */
export interface Progress {
  /** Replaces the last line with this one; if lines follow each other quickly, most are left out. */
  update(line: string): void;
  /** Removes the line. */
  end(): void;
}

/** Where progress is printed: only on a terminal, because it would fill a log. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const SHOWN_EVERY_MS = 200;
/** Returns to the beginning of the line and clears it. */
const CLEAR_LINE = "\r\u001b[2K";

/** Makes the progress of one command. */
export function createProgress(
  stream: ProgressStream,
  now: () => number = () => performance.now(),
): Progress {
  if (stream.isTTY !== true) return { update() {}, end() {} };
  let shownAt: number | undefined;
  return {
    update(line) {
      if (shownAt !== undefined && now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = now();
      stream.write(CLEAR_LINE + line);
    },
    end() {
      if (shownAt !== undefined) stream.write(CLEAR_LINE);
      shownAt = undefined;
    },
  };
}
