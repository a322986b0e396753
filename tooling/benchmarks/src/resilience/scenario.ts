/** One figure of a scenario. */
export interface Figure {
  readonly figure: string;
  readonly measured: string;
  /** What was wanted of it, and whether it is so; left out where nothing was. */
  readonly wanted?: string;
  readonly held?: boolean;
}

/** What one run of a scenario showed. */
export interface Section {
  readonly title: string;
  /** How it was measured, in sentences. */
  readonly method: string;
  readonly figures: readonly Figure[];
}

/** Something that a gateway must live through. */
export interface Scenario {
  /** How it is asked for on the command line. */
  readonly name: string;
  /** Completes "measures …". */
  readonly about: string;
  /** How long the trouble lasts, in seconds, when nobody asks for less. */
  readonly seconds: number;
  /** Runs it, and tells how far it has come. */
  run(seconds: number, progress: (text: string) => void): Promise<readonly Section[]>;
}

/** A figure of which something was wanted. */
export function wanted(figure: string, measured: string, wish: string, held: boolean): Figure {
  return { figure, measured, wanted: wish, held };
}

/** A figure to know. */
export function known(figure: string, measured: string): Figure {
  return { figure, measured };
}
