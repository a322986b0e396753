import type { Bodies, BodyViews } from "./body-views.ts";
import { clearFaults } from "./faults.ts";
import type { Fields } from "./fields.ts";
import type { Values } from "./values.ts";

/** The values of an example in the page. */
interface FormExample {
  readonly path: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly bodies: Bodies;
}

/** Fills the form with the first example, and later with each example that the reader selects. */
export function startExamples(
  form: HTMLFormElement,
  values: Values,
  fields: Fields,
  body: BodyViews,
): void {
  const examples: Readonly<Record<string, FormExample>> = JSON.parse(
    form.querySelector("script")?.textContent ?? "{}",
  );
  const take = (example: FormExample): void => {
    const { bodies, headers, path, query } = structuredClone(example);
    Object.assign(values, { path, query, headers });
    for (const group of form.querySelectorAll(":scope > [data-key]")) fields.fill(group);
    body.take(bodies);
  };
  const all = Object.values(examples);
  const [first] = all;
  // Each media type starts with the first example that has it.
  const bodies = Object.assign({}, ...all.map((example) => example.bodies).toReversed());
  if (first !== undefined) take({ ...first, bodies });
  const menu = form.querySelector<HTMLSelectElement>("#try-example");
  menu?.addEventListener("change", () => {
    const chosen = examples[menu.value];
    clearFaults(form);
    if (chosen !== undefined) take(chosen);
  });
}
