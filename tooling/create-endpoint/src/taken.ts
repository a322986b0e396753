import { type Files, readEndpoint } from "@insurance-gateway/lists";
import { type Operation, Refusal } from "./operation.ts";

/**
 * Refuses an endpoint that the package already has.
 * @throws Refusal if a file of the endpoint exists, or if another file declares the endpoint's name or its call
 */
export function refuseTaken(present: Files, files: Files, { method, name, path }: Operation): void {
  const declared = [...present]
    .filter(([file]) => /^src\/endpoints\/(?!index\.ts$)[^/]+\.ts$/.test(file))
    .map(([file, text]) => ({ file, ...readEndpoint(file, text) }));
  const call = declared.find((each) => each.method === method && each.path === path);
  if (call !== undefined)
    throw new Refusal(`${call.file} declares ${method} ${path} already, as ${call.name}.`);
  const twin = declared.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (twin !== undefined)
    throw new Refusal(`${twin.file} declares ${twin.name} already. Give another --name.`);
  const file = [...files.keys()].find((each) => present.has(each));
  if (file !== undefined)
    throw new Refusal(`${file} exists already. Give another --name, or remove that file first.`);
}
