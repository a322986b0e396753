import * as contract from "@insurance-gateway/core/contract";
import * as schema from "@insurance-gateway/core/schema";

/** Reserved words (ECMA-262, 12.7.2), including those of strict mode, which cannot name constants. */
const KEYWORDS =
  "arguments as async await break case catch class const continue debugger default delete do else enum eval export extends false finally for from function get if implements import in instanceof interface let new null of package private protected public return set static super switch this throw true try type typeof undefined using var void while with yield";

/** Types of the language, of browsers and of core that an imported type of the same name would hide. */
const TYPES =
  "Address Adapter Any Array Attr Awaited BigInt Blob Body Boolean Buffer Cache Client Clock Comment Connection Console Credential Crypto Date Document Element Endpoint Error Event Example Examples Exclude Extract Fault File FileList FilePart Function Gateway Headers History Image Infinity Input Intl Iterator Json Key Location Lock Lookup Map Math Media Module Name NaN Never NoInfer Node NodeList Notification Null Number Object Omit OpenEnum Option Page Paging Parameters Partial Path Permissions Pick Plugin Policy PolicyKind Problem Process Promise Provider Proxy Query Quote Range Read Readonly Record Reflect Region Report Request Required Response Retry Schema Search Select Selection Set String Submission Symbol Text Transport Type Uint8Array Undefined Unknown URL User Value Void WeakMap Window Worker";

/** The other exported types of core. A test compares this list with core's report of exported types. */
const CORE =
  "Advice Alternatives AnswerDeclaration AnswerMedia AnswerPlace AnswersByStatus ArgumentsOf BodyDeclaration BodyFormat BodyMedia BodyStream Call CallAttempt CallFailure CallLimits CallOptions Calls CancellationSignal Checked CheckedInput ChooseAlternative ClientAuthentication ClientCredentialsOptions ClosedDeclaration CodeFacts ConfigurationError ConnectionChoice ConnectionError ConnectionResponse ConnectionSettings ConnectionTransport CredentialContent Credentials CredentialsError CredentialsFault CredentialsWait DayOfAvailability Decoded Download Duration EachOptions EachResult EarlierSubmission EchoComparison EndpointKind EndpointTypes ErrorCode ErrorFacts ExchangeEnd Executed Explanation FailureCause FailureCode FailureOutcome FailureRow FakeCall FakeClock FakeGateway FakeGatewayOptions FaultCode FetchResult FetchedContent FetchedParts FileContent FileRules FileType FixedParts FormEntry FormField FormFields FurtherHeaders GatewayError GatewayOptions HeaderTexts Idempotency IdentifierScope InputChecker InputOf InsurerFailure InsurerIdDeclaration IssuedToken KeyPlace KeyStore KindPolicy LineOfInsurance ListRules LostAnswer MaintenanceWindow MapRules MatchField MatchValues Method NormalisedField Normaliser NotSent NumberRules OptionsOf Outcome OutcomeDeclaration OutcomeFacts OutcomeUnknownError PageAnswer PageQuery PageRequest PageSize ParameterForm ParameterForms ParameterOrigin PathSegment Phase Position PresentedCredentials ProblemCall ProblemCode ProblemError ProblemReconciliation ProviderClient ProviderHistory ProviderState ProviderStatus ProviderStatusList QueryText QueryValues RareMeaning RawInput ReconcileDeclaration RecordedScenario Rejected RequestBody RequestInvalidError ResolveOptions ResponseBody ResponseHead ResponseInvalidError ResponseOf ResultOf ResumedSubmission RetryAdvice RouteSettings Rule RuleName SameContent ScalarType Scenario SearchCall SearchInput SearchTypes SetupFault Shape SimulatedAnswer SimulatedInsurer SimulatedRecord StoredKey StringRules SubmissionAnswer SubmissionOptions SubmissionResult SubmissionState SubmissionStatus SubmitInput Succeeded TlsSettings Together TokenContext TokenError TokenFunction TokenRequest TokenSource TransportError TransportRequest TransportResponse TransportTime TypesOf UnreadableFileError UserLogin WithAnswers WithBody WithResponse WrittenBody";

/** Members that a client has in addition to its endpoints, or that the language treats specially. */
const CLIENT_MEMBERS =
  "apply bind call catch constructor finally hasOwnProperty isPrototypeOf name prototype then toJSON toLocaleString toString valueOf";

/** Names that imported types may have although core exports types of these names, because they are common words. */
const ALLOWED_CORE_NAMES = new Set([
  "Address",
  "Client",
  "Policy",
  "Region",
  "User",
  "Comment",
  "Connection",
]);

/** Globals of Node.js 24 and of browsers. The list is fixed, so that the names do not depend on the Node.js version. */
const GLOBALS =
  "AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Blob Boolean BroadcastChannel Buffer ByteLengthQueuingStrategy CloseEvent CompressionStream CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DataView Date DecompressionStream DisposableStack Error EvalError Event EventTarget File FinalizationRegistry Float16Array Float32Array Float64Array FormData Function Headers Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math MessageChannel MessageEvent MessagePort NaN Navigator Number Object Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming Promise Proxy RangeError ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String SubtleCrypto SuppressedError Symbol SyntaxError TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController TypeError URIError URL URLPattern URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket WritableStream WritableStreamDefaultController WritableStreamDefaultWriter __dirname __filename atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval exports fetch global globalThis isFinite isNaN navigator parseFloat parseInt performance process queueMicrotask require setImmediate setInterval setTimeout structuredClone undefined unescape";

/** The names that constants cannot have: reserved words and names that the generated files use. */
export const takenValues: ReadonlySet<string> = new Set(
  [
    ...KEYWORDS.split(" "),
    ...CLIENT_MEMBERS.split(" "),
    ...Object.keys(contract),
    ...Object.keys(schema),
    ...GLOBALS.split(" "),
    "z",
    "index",
    "adapter",
    "endpoints",
    "examples",
    "sandbox",
  ].map((name) => name.toLowerCase()),
);

/** The names that imported types cannot have. */
export const takenTypes: ReadonlySet<string> = new Set(
  [
    ...TYPES.split(" ").filter((name) => !ALLOWED_CORE_NAMES.has(name)),
    ...CORE.split(" "),
    ...GLOBALS.split(" "),
    "ByStatus",
    "Side",
  ].map((name) => name.toLowerCase()),
);
