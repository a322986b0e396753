/**
 * The description of an SVG element: tag, attributes and content. Pages write the description as markup; scripts create
 * the element.
 */
export type Shape = readonly [
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...content: (Shape | string)[],
];

/** A call as messages between the reader's program, the gateway and the insurer. */
export interface CallFlow {
  /** A name above the request, which is also the class of its colour. */
  readonly outcome: string;
  /** The event in two to four words. */
  readonly says: string;
  /** The last party that the request reached. `store`: the gateway answered from its store. */
  readonly reaches: "unknown" | "gateway" | "store" | "insurer";
  /** True if the insurer's answer reached the gateway. */
  readonly insurerAnswers: boolean;
  /** True if the gateway's answer reached the reader's program. */
  readonly answers: boolean;
}

const WIDTH = 480;
const PROGRAM = 56;
const GATEWAY = 216;
const INSURER = 424;
const TOP = 56;
const EACH = 62;

/** Draws calls as sequences, one below the other: returns the view box and the elements. */
export function sequence(flows: readonly CallFlow[]): {
  readonly viewBox: string;
  readonly shapes: readonly Shape[];
} {
  const height = TOP + flows.length * EACH;
  const columns = [
    [PROGRAM, "Your program"],
    [GATEWAY, "Gateway"],
    [INSURER, "Insurer"],
  ] as const;
  return {
    viewBox: `0 0 ${WIDTH} ${height}`,
    shapes: [
      ...columns.flatMap(([x, name]): readonly Shape[] => [
        ["text", { x, y: 20, class: "column" }, name],
        ["path", { class: "life", d: `M${x} 30V${height - 6}` }],
      ]),
      ...flows.map((flow, index) => drawFlow(flow, TOP + 14 + index * EACH)),
    ],
  };
}

function drawFlow({ answers, insurerAnswers, outcome, reaches, says }: CallFlow, y: number): Shape {
  const isSent = reaches === "insurer";
  const isUnknown = reaches === "unknown";
  const back = y + 18;
  return [
    "g",
    { class: outcome },
    ...arrow(isUnknown ? "perhaps" : "there", PROGRAM, GATEWAY, y),
    ...(isSent ? arrow("there", GATEWAY, INSURER, y) : []),
    ...(reaches === "gateway" ? [cross(GATEWAY + 26, y)] : []),
    ...(isSent ? answer(INSURER, GATEWAY, back, insurerAnswers) : []),
    // If the request may not have arrived, the picture shows no answer of the gateway.
    ...(isUnknown && !answers ? [] : answer(GATEWAY, PROGRAM, back, answers)),
    ["text", { x: PROGRAM + 12, y: y - 8, class: "name" }, outcome],
    isSent
      ? ["text", { x: GATEWAY + 12, y: y - 8 }, says]
      : ["text", { x: GATEWAY + (reaches === "gateway" ? 44 : 14), y: y + 5 }, says],
  ];
}

function answer(from: number, to: number, y: number, comes: boolean): readonly Shape[] {
  return comes
    ? arrow("back", from, to, y)
    : [["path", { class: "back", d: `M${from} ${y}H${from - 66}` }], cross(from - 78, y)];
}

function arrow(
  way: "there" | "perhaps" | "back",
  from: number,
  to: number,
  y: number,
): readonly Shape[] {
  const point = to > from ? -1 : 1;
  return [
    ["path", { class: way, d: `M${from} ${y}H${to + point * 8}` }],
    ["path", { class: "head", d: `M${to + point} ${y}l${point * 10} -5v10z` }],
  ];
}

function cross(x: number, y: number): Shape {
  return ["path", { class: "stop", d: `M${x - 8} ${y - 8}l16 16m0 -16l-16 16` }];
}
