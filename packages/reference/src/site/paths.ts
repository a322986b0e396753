/** The paths of all pages, from the root of the host. */
export interface SitePaths {
  /** True if an insurer is simulated; otherwise no page links to `lostAnswer` and `sandbox`. */
  readonly hasSandbox: boolean;
  readonly front: string;
  /** The front page in Greek. */
  readonly greekFront: string;
  readonly guides: string;
  /** The path of a guide; `.md` appended leads to its Markdown. */
  readonly guide: (name: string) => string;
  readonly asset: (name: string) => string;
  readonly errors: string;
  readonly error: (code: string) => string;
  readonly catalogue: string;
  readonly outcomes: string;
  readonly lostAnswer: string;
  readonly sandbox: string;
  readonly limits: string;
  readonly collections: string;
  /** The page of a provider, or of the gateway itself, whose segment is "". */
  readonly provider: (segment: string) => string;
  /**
   * The changelog of a provider's package. Its path is outside the provider's other paths, which are named after
   * endpoints.
   */
  readonly changelog: (segment: string) => string;
  readonly providerFile: (segment: string, name: string) => string;
  /** The path of an endpoint's page; `.md` appended leads to its Markdown. */
  readonly endpoint: (segment: string, operationId: string) => string;
  readonly file: (name: string) => string;
  readonly developmentToken: string;
}

/** Returns the paths under a path prefix, which may be "". */
export function sitePaths(basePath: string, hasSandbox = true): SitePaths {
  const front = `${basePath}/reference`;
  const provider = (segment: string): string =>
    segment === "" ? `${front}/gateway` : `${front}/providers/${segment}`;
  return {
    hasSandbox,
    front,
    greekFront: `${front}/el`,
    guides: `${front}/guides`,
    guide: (name) => `${front}/guides/${name}`,
    asset: (name) => `${front}/assets/${name}`,
    errors: `${front}/errors`,
    error: (code) => `${front}/errors/${code}`,
    catalogue: `${front}/catalogue`,
    outcomes: `${front}/outcomes`,
    lostAnswer: `${front}/lost-answer`,
    sandbox: `${front}/sandbox`,
    limits: `${front}/limits`,
    collections: `${front}/collections`,
    provider,
    changelog: (segment) => `${front}/changelogs/${segment}`,
    providerFile: (segment, name) => `${provider(segment)}/${name}`,
    endpoint: (segment, operationId) => `${provider(segment)}/${operationId}`,
    file: (name) => `${front}/${name}`,
    developmentToken: `${front}/development-token`,
  };
}
