import type { OpenApiDocument, Operation } from "../../document/open-api.ts";
import type { Placed } from "../../document/provider-document.ts";
import { type Html, html } from "../html.ts";
import type { SitePaths } from "../paths.ts";
import type { ScenarioOnPage } from "../source.ts";

/** The id of the form, for a link that skips to it. */
export const FORM_ID = "try-it";

/** The script that the form needs, by its name among the assets. */
export const FORM_SCRIPT = "form.js";

/** Facts about the gateway that a form needs. */
export interface FormOptions {
  readonly paths: SitePaths;
  /** The path prefix of the gateway, or "". */
  readonly basePath: string;
  /** The scenarios of this endpoint; none if its insurer is not simulated. */
  readonly scenarios: readonly ScenarioOnPage[];
  /** Whether the form may offer a token of the development issuer. */
  readonly developmentToken: boolean;
}

/**
 * Draws the form that calls an endpoint. Without scripts it says how to call the endpoint instead.
 * @param placed - an operation of `document`, both as they are served
 */
export function endpointForm(
  { method, operation, path }: Placed<Operation>,
  _document: OpenApiDocument,
  { basePath }: FormOptions,
): Html {
  return html`<section id="${FORM_ID}" class="try" tabindex="-1" aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<form data-method="${method}" data-path="${basePath}${path}" data-operation="${operation.operationId}"></form>
</section>`;
}
