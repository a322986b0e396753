import { type AdapterAnswer, declared, type InsurerRequest } from "@insurance-gateway/adapter";
import {
  createGateway,
  GatewayError,
  RequestInvalidError,
  type Transport,
} from "@insurance-gateway/core";
import { answerOf, check, type Endpoint } from "@insurance-gateway/core/contract";
import {
  answerMediaOf,
  areAmbiguous,
  type CheckedInput,
  isEmptyAnswer,
  isFilePart,
  isJson,
  kindPolicies,
  pathParameters,
  readDeclaredBody,
} from "@insurance-gateway/core/runtime";
import { bytesIn, fewWaits, responseOf } from "./adapter-call.ts";
import { isSame } from "./differences.ts";
import { numbersIn } from "./json-numbers.ts";
import { newRunCache, type RunCache } from "./run.ts";
import { shown } from "./trip-faults.ts";
import {
  answersWith,
  type Input,
  type InsurerAnswer,
  inputsOf,
  type KnownValues,
} from "./trip-values.ts";

/** A whole number that JavaScript cannot represent: 2^53 + 1. */
const LARGE_NUMBER = "9007199254740993";
const ADDRESS = "http://gateway.invalid";

/**
 * Generates values from an endpoint's schemas and sends them from the client through the gateway's parsing and the
 * declared adapter to the insurer's parsing, and sends the answer back. The received value must equal the sent value.
 * The check runs the same code as an application and a gateway, without connections.
 * @param siblings - every endpoint of the provider, by name
 * @param run - the cached values of a provider's endpoints
 * @returns each fault as one line
 */
export async function roundTripFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
  known: KnownValues,
  run: RunCache = newRunCache(),
): Promise<readonly string[]> {
  const faults = new Set<string>();
  const inputs = inputsOf(endpoint, known, faults, { run });
  const answers = answersWith(endpoint, known, faults, { run });
  if (faults.size > 0) return [...faults];
  const trips = Math.max(inputs.length, answers.length);
  for (let trip = 0; trip < trips; trip++) {
    const input = inputs[trip % inputs.length] ?? {};
    const answer = answers[trip % answers.length];
    if (answer === undefined) continue;
    const world: TripWithAnswer = { endpoint, siblings, run, input, answer, faults };
    const data = await callWithClient(world, transportOf(world));
    if (data === "refused" || endpoint.kind === "document") continue;
    const sent = writtenIn(answer);
    if (!isSame(data.value, sent))
      faults.add(`its answer ${shown(sent)} reaches the client as ${shown(data.value)}`);
  }
  for (const answer of answers.slice(0, 1))
    for (const fault of await largeNumberFaults({
      endpoint,
      siblings,
      run,
      input: inputs[0] ?? {},
      answer,
      faults: new Set(),
    }))
      faults.add(fault);
  return [...faults];
}

/** One request of an endpoint on its way from the client to the gateway. */
interface Trip {
  readonly endpoint: Endpoint;
  readonly siblings: Readonly<Record<string, Endpoint>>;
  readonly run: RunCache;
  readonly input: Input;
  readonly faults: Set<string>;
}

interface TripWithAnswer extends Trip {
  readonly answer: InsurerAnswer;
}

/** Passes a request through the client and the gateway's parsing. Returns null if one of them refuses the request. */
export async function readAtGateway(trip: Omit<Trip, "faults">): Promise<CheckedInput | null> {
  const world: Trip = { ...trip, faults: new Set() };
  let read: CheckedInput | null = null;
  await callWithClient(world, {
    async send(request) {
      read = await readRequest(world, request);
      return gatewayRefusal(world.faults);
    },
    close: async () => undefined,
  });
  return read;
}

/** Calls the endpoint with the client. The result is `refused` if the client or the gateway refuses the request. */
async function callWithClient(
  { endpoint, faults, input }: Trip,
  transport: Transport,
): Promise<"refused" | { readonly value: unknown }> {
  const gateway = createGateway({ baseUrl: ADDRESS, token: "token", transport });
  try {
    // The values fit the endpoint's schemas, although TypeScript does not know this.
    return { value: await gateway.call(endpoint, input as Parameters<typeof gateway.call>[1]) };
  } catch (error) {
    if (RequestInvalidError.isInstance(error)) {
      const places = error.errors.map(({ message, pointer }) => `${pointer || "/"} ${message}`);
      // Generated values always fit into a path. A declared example may not.
      faults.add(`the client refuses ${shown(input)}, although it is valid: ${places.join("; ")}`);
    } else if (!GatewayError.isInstance(error)) throw error;
    return "refused";
  }
}

/** Creates a transport that passes requests to the gateway's parsing, the declared adapter and a declared insurer. */
function transportOf(world: TripWithAnswer): Transport {
  const { answer, endpoint, faults } = world;
  return {
    async send(request) {
      const read = await readRequest(world, request);
      if (read === null) return gatewayRefusal(faults);
      const adapted = await declared.call(
        endpoint,
        read,
        async (request) => {
          await readByDeclaration("the insurer", world, request);
          const { content = "", headers, status } = answer;
          return responseOf({ status, headers: { "content-type": "", ...headers }, body: content });
        },
        {
          submissionId: kindPolicies[endpoint.kind].actsAtInsurer ? "submission" : null,
          settings: {},
          login: null,
          now: () => new Date(0),
          wait: fewWaits(),
        },
      );
      return gatewayAnswer(world, adapted);
    },
    close: async () => undefined,
  };
}

/** Reads the client's request as the gateway does. */
function readRequest(
  trip: Trip,
  { body, headers, method, url }: Parameters<Transport["send"]>[0],
): Promise<CheckedInput | null> {
  const path = url.slice(ADDRESS.length + trip.endpoint.provider.length + 1);
  const content = body === undefined ? {} : { body };
  return readByDeclaration("the gateway", trip, { method, path, headers, ...content });
}

/**
 * Reads a request by its declaration. Returns null if the request is refused, or if another endpoint would receive the
 * request.
 */
async function readByDeclaration(
  reader: string,
  trip: Trip,
  { body, headers = {}, method, path }: InsurerRequest,
): Promise<CheckedInput | null> {
  const { endpoint, faults, input, run, siblings } = trip;
  const [target = "", search = ""] = path.split("?", 2);
  for (const [name, other] of Object.entries(siblings)) {
    if (other === endpoint || other.method !== method) continue;
    if (run.pathReaderOf(other.path)(target) === null) continue;
    if (areAmbiguous(endpoint, other))
      faults.add(`its request ${method} ${endpoint.path} also matches ${name}, ${other.path}`);
    // If the other path has a literal in place of a parameter, the request belongs to the other endpoint.
    if (pathParameters(other.path).length < pathParameters(endpoint.path).length) return null;
  }
  const params = run.pathReaderOf(endpoint.path)(target);
  if (params === null) {
    faults.add(`${reader} cannot match ${path} to the path ${endpoint.path}`);
    return null;
  }
  const sent =
    body === undefined
      ? {}
      : await readDeclaredBody(endpoint, headers["content-type"] ?? "", await bytesIn(body));
  const checked = run.checkerOf(endpoint)({ params, search, headers, body: undefined, ...sent });
  if (!checked.valid) {
    const places = checked.faults.map(({ message, pointer }) => `${pointer || "/"} ${message}`);
    faults.add(`${reader} refuses ${shown(input)}, although it is valid: ${places.join("; ")}`);
    return null;
  }
  const read = checked.value;
  for (const part of ["params", "query", "headers", "body"] as const) {
    const written = part === "body" ? input.body : (input[part] ?? {});
    // The client always adds the position and size of the page to the query.
    const isPaged = endpoint.kind === "search" && part === "query";
    const given = isPaged ? { ...read[part], ...Object(written) } : written;
    if (!isSame(read[part], given))
      faults.add(`${reader} reads the ${part} ${shown(given)} as ${shown(read[part])}`);
  }
  return read;
}

function bytesOf(content: InsurerAnswer["content"] = ""): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Returns the value in a generated answer of the insurer, before it was written as text. */
function writtenIn({ content, headers }: InsurerAnswer): unknown {
  const mediaType = headers["content-type"] ?? "";
  if (content instanceof Uint8Array) return { mediaType, content };
  return content !== undefined && isJson(mediaType) ? JSON.parse(content) : content;
}

type GatewayAnswer = Awaited<ReturnType<Transport["send"]>>;

/** Returns the gateway's answer for the adapter's result: the declared answer, or a problem. */
function gatewayAnswer(
  { answer, endpoint, faults }: TripWithAnswer,
  adapted: AdapterAnswer,
): GatewayAnswer {
  if (adapted.type === "document") return toResponse(200, answer.content ?? "", adapted.mediaType);
  const declaredAnswer = answerOf(endpoint, answer.status);
  if (adapted.type !== "value" || declaredAnswer === undefined)
    return gatewayRefusal(faults, answer);
  if (isEmptyAnswer(declaredAnswer)) return toResponse(adapted.status, "", "");
  const { mediaType = "application/json", value } = adapted;
  const media = answerMediaOf(declaredAnswer, mediaType);
  if (media === undefined || !check(media.schema, value).valid)
    return gatewayRefusal(faults, answer);
  if (isFilePart(value) && value.content instanceof Uint8Array)
    return toResponse(adapted.status, value.content, media.mediaType);
  const text = adapted.text ?? (isJson(mediaType) ? JSON.stringify(value) : String(value));
  return toResponse(adapted.status, text, media.mediaType);
}

function toResponse(
  status: number,
  content: string | Uint8Array,
  mediaType: string,
): GatewayAnswer {
  return {
    status,
    headers: mediaType === "" ? {} : { "content-type": mediaType },
    body: {
      text: async () => (typeof content === "string" ? content : new TextDecoder().decode(content)),
      async *stream() {
        yield bytesOf(content);
      },
      discard: () => undefined,
    },
  };
}

/**
 * Returns the gateway's refusal. Adds a fault if the gateway refused an answer of the insurer although the answer is
 * valid.
 */
function gatewayRefusal(faults: Set<string>, answer?: InsurerAnswer): GatewayAnswer {
  if (answer !== undefined)
    faults.add(
      `the gateway refuses the insurer's answer ${String(answer.content)}, although it is valid`,
    );
  const text = JSON.stringify({
    code: "PROVIDER_BAD_RESPONSE",
    status: 502,
    outcome: "unknown",
    retry: "never",
    detail: "",
    title: "",
    type: "",
    requestId: "",
    provider: null,
  });
  return toResponse(502, text, "application/problem+json");
}

/** Checks an insurer's number that JavaScript cannot represent. The number must be refused or arrive unchanged. */
async function largeNumberFaults(world: TripWithAnswer): Promise<readonly string[]> {
  const { answer } = world;
  const written = answer.content;
  if (typeof written !== "string" || world.endpoint.files !== undefined) return [];
  const faults: string[] = [];
  for (const { index, token } of numbersIn(written, answer.headers["content-type"] ?? "")) {
    const content = written.slice(0, index) + LARGE_NUMBER + written.slice(index + token.length);
    const changed: TripWithAnswer = { ...world, answer: { ...answer, content }, faults: new Set() };
    const data = await callWithClient(changed, transportOf(changed));
    if (data !== "refused" && !JSON.stringify(data.value).includes(`"${LARGE_NUMBER}"`))
      faults.push(`the insurer's number ${LARGE_NUMBER} reaches the client as another number`);
  }
  return faults;
}
