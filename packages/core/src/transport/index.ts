export { forwardSecretCiphers } from "./ciphers.ts";
export { UnreadableFileError, type WrittenBody, writeBody } from "./request-body.ts";
export type { RouteSettings, TlsSettings } from "./route-settings.ts";
export { createTogether, type Together } from "./together.ts";
export {
  ANSWER_UNREAD,
  type BodyStream,
  type CancellationSignal,
  type ConnectionChoice,
  type ConnectionResponse,
  type ConnectionTransport,
  type ExchangeEnd,
  type FailureCause,
  isOwnShortage,
  nothingSent,
  type Phase,
  type ResponseBody,
  realTime,
  type SetupFault,
  setupFaultOf,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type TransportTime,
} from "./transport.ts";
export { type ConnectionSettings, createTransport } from "./undici-transport.ts";
