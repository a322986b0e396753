import type { UserLogin } from "@insurance-gateway/core/auth";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { charsetWriter } from "../charset.ts";
import type { MappingForm } from "../mapping.ts";
import { contentOf, soapFault, soapMediaTypes, soapMessageIn, writeSoap } from "../soap/message.ts";
import type { SoapCall, SoapDialect } from "../soap/soap-dialect.ts";
import { parseXml } from "../soap/xml.ts";
import type { RawAnswer, RawRequest, SandboxRoute } from "./dialect.ts";
import {
  decodeTicket,
  type Refuse,
  readCallByRows,
  readTicket,
  refusePages,
  unreadableRequestProblem,
  writeAnswerByRows,
} from "./rows.ts";

const xmlMappingForm: MappingForm = { lists: "repeated" };

/**
 * Creates the routes of a simulated SOAP insurer from the mapping rows of the package's adapter, a `soapDialect`. The
 * adapter and the simulation then share a mistake in the rows: only the insurer's real messages can reveal the mistake.
 * Write the routes of searches with `pages` by hand.
 * @param refuse - writes a refusal: the status and the detail of the fault
 */
export function soapRoutes<P extends Provider<object>>(
  provider: P,
  dialect: SoapDialect<P>,
  refuse: Refuse,
): readonly SandboxRoute[] {
  const { charset = "utf-8", envelope, namespace, path, version = "1.1" } = dialect;
  const calls: Readonly<Record<string, SoapCall>> = dialect.calls;
  const writer = charsetWriter(charset);
  const isOwn = (one: string): boolean => one === namespace || one === "";
  const operations = Object.entries<Endpoint>({ ...provider.endpoints }).flatMap(
    ([name, endpoint]) => {
      const call = calls[name];
      if (call === undefined) return [];
      refusePages(name, call, endpoint);
      return [{ name, call }];
    },
  );
  const message = (status: number, payload: object, headers = {}): RawAnswer => {
    const text = writeSoap(payload, { charset, version });
    const type = `${soapMediaTypes[version]}; charset=${charset}`;
    return writer.carries(text)
      ? { status, headers: { "content-type": type, ...headers }, body: writer.write(text) }
      : { status: 500 };
  };
  const refusal = (problem: Parameters<Refuse>[0]): RawAnswer => {
    const { content, status } = refuse(problem);
    return message(status, soapFault("client", problem.code, content, version));
  };
  const answered = (operation: string, content: unknown): object => ({
    [`${operation}Response`]: { "@xmlns": namespace, ...Object(content) },
  });
  /** Returns the operation of a message and the content of the operation's element. */
  const found = ({
    body,
  }: RawRequest): { readonly name: string; readonly content: unknown } | null => {
    const root = parseXml(body);
    const payload = (root && soapMessageIn(root, version)?.payload) ?? null;
    if (payload === null || payload.namespace !== namespace) return null;
    return { name: payload.name, content: contentOf(payload, isOwn) };
  };
  const route: SandboxRoute = {
    method: "POST",
    path,
    read(request) {
      const { content, name } = found(request) ?? {};
      const own = operations.find(({ call }) => call.operation === name);
      const call = own && readCallByRows(own.name, own.call.body ?? [], content, xmlMappingForm);
      if (call) return { call };
      const polled = operations.find(({ call: { poll } }) => poll?.operation === name)?.call.poll;
      const result = polled && decodeTicket(readTicket(polled.body ?? [], content, xmlMappingForm));
      return {
        answer:
          polled && result
            ? message(200, answered(polled.operation, result))
            : refusal(unreadableRequestProblem),
      };
    },
    write(answer, request) {
      const { name } = found(request) ?? {};
      const own = operations.find(({ call }) => call.operation === name);
      const written = own && writeAnswerByRows(own.call, answer, envelope);
      if (own && written)
        return message(
          written.status,
          answered(own.call.operation, written.content),
          written.headers,
        );
      return refusal("problem" in answer ? answer.problem : unreadableRequestProblem);
    },
  };
  return [route];
}

/**
 * Creates the function `refuse` of a simulated insurer: a message to the dialect's path must have this UsernameToken.
 * @returns the refusal; null for an accepted message and for every other path
 */
export function requireUsernameToken(
  { path, version }: Pick<SoapDialect<Provider<object>>, "path" | "version">,
  { password, username }: UserLogin,
): (request: RawRequest) => RawAnswer | null {
  return (request) => {
    if (request.path !== path) return null;
    const root = parseXml(request.body);
    const login = root && soapMessageIn(root, version)?.login;
    return login?.username === username && login.password === password ? null : { status: 401 };
  };
}
