import type { Endpoint } from "./endpoint.ts";
import { check, escapePointer } from "./faults.ts";
import type { Method } from "./kinds.ts";
import { parameterForms } from "./parameter-forms.ts";
import { isAmbiguous, type PathSegment, pathSegments } from "./path.ts";
import { decodePath } from "./query.ts";

/** A route with the method and the path under which the gateway serves the route. */
export interface PlacedRoute<Route> {
  readonly method: Method;
  /** The full path, with parameters in braces. */
  readonly path: string;
  readonly route: Route;
}

/** The route that matches a path, with the values of the path parameters. */
export interface FoundRoute<Route> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/**
 * Reports whether two endpoints are ambiguous: one request could match both, and neither is more specific. Overlapping
 * templates are allowed if, in the first segment in which they differ, the parameter's schema excludes the literal:
 * `/quotes/new/{code}` and `/quotes/{id}/price` are distinct if `id` is never `new`.
 */
export function areAmbiguous(one: Endpoint, other: Endpoint): boolean {
  if (one.method !== other.method || !mayOverlap(one.path, other.path)) return false;
  const segments = pathSegments(one.path);
  const others = pathSegments(other.path);
  if (segments === null || others === null) return false;
  if (!isAmbiguous(segments, others)) return false;
  const first = segments.findIndex((segment, index) => !isSameSegment(segment, others[index]));
  const [mine, theirs] = [segments[first], others[first]];
  // A request with the literal in this segment goes to the literal's route, so a later segment cannot resolve the
  // ambiguity.
  if (mine?.parameter === null && theirs !== undefined)
    return !parameterRefuses(other, theirs, mine.before);
  if (theirs?.parameter === null && mine !== undefined)
    return !parameterRefuses(one, mine, theirs.before);
  return true;
}

/**
 * Reports whether two paths may match the same request, by their literal segments only. Excludes most pairs quickly.
 */
function mayOverlap(one: string, other: string): boolean {
  const segments = one.split("/");
  const others = other.split("/");
  return (
    segments.length === others.length &&
    segments.every((text, index) => {
      const their = others[index] ?? "";
      return text === their || text.includes("{") || their.includes("{");
    })
  );
}

function isSameSegment(one: PathSegment, other: PathSegment | undefined): boolean {
  return (
    one.before === other?.before &&
    one.after === other.after &&
    (one.parameter === null) === (other.parameter === null)
  );
}

/** Reports whether the schema of a segment's parameter refuses a text. */
function parameterRefuses({ params }: Endpoint, segment: PathSegment, text: string): boolean {
  const { after, before, parameter } = segment;
  if (params === undefined || parameter === null) return false;
  const value = text.slice(before.length, text.length - after.length);
  const checked = check(params, decodePath({ [parameter]: value }, parameterForms(params)));
  const pointer = `/${escapePointer(parameter)}`;
  return !checked.valid && checked.faults.some((fault) => fault.pointer === pointer);
}
