/** Why something is not packed or published, and what to do about it. */
export interface Refusal {
  /** One sentence. */
  readonly reason: string;
  /** One sentence or command that leads on. */
  readonly remedy: string;
}

/** Everything that keeps a release from going on, found in one step. */
export class ReleaseRefused extends Error {
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ reason, remedy }) => `${reason}\n  ${remedy}`).join("\n"));
    this.name = "ReleaseRefused";
    this.refusals = refusals;
  }
}

/**
 * Ends a step of the release.
 * @throws ReleaseRefused when there is anything that keeps the release from going on
 */
export function refuse(refusals: readonly Refusal[]): void {
  if (refusals.length > 0) throw new ReleaseRefused(refusals);
}
