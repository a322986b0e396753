/** The progress of a command, shown in one line that is updated in place. */
export interface Progress {
  /** Replaces the line of progress. Updates in quick succession are skipped. */
  update(line: string): void;
  /** Removes the line of progress. */
  end(): void;
}

/** The stream for the progress. Only a terminal shows the progress, because the many updates would fill a log. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const UPDATE_INTERVAL_MS = 200;
/** Moves to the beginning of the line, and clears the line. */
const CLEAR_LINE = "\r\u001b[2K";

/** Creates the progress line of a command. */
export function createProgress(
  stream: ProgressStream,
  now: () => number = () => performance.now(),
): Progress {
  if (stream.isTTY !== true) return { update() {}, end() {} };
  let shownAt: number | undefined;
  return {
    update(line) {
      if (shownAt !== undefined && now() - shownAt < UPDATE_INTERVAL_MS) return;
      shownAt = now();
      stream.write(CLEAR_LINE + line);
    },
    end() {
      if (shownAt !== undefined) stream.write(CLEAR_LINE);
      shownAt = undefined;
    },
  };
}
