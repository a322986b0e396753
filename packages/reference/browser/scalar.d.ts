declare module "*/scalar/standalone.esm.js" {
  /** What Scalar's page gives back: the one call that is used of it. */
  export interface ScalarReference {
    updateConfiguration(configuration: Readonly<Record<string, unknown>>): void;
  }
  export function createApiReference(
    place: Element | string,
    configuration: Readonly<Record<string, unknown>>,
  ): ScalarReference;
}
