/** The trace id in the example of the W3C specification. */
export const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
/** The parent id in the example of the W3C specification. */
export const PARENT_ID = "00f067aa0ba902b7";
const EXAMPLE: string = `00-${TRACE_ID}-${PARENT_ID}-01`;

/** A `traceparent` header that the gateway accepts, and the flags that the gateway sends to the insurer. */
export interface AcceptedTrace {
  readonly name: string;
  readonly traceparent: string;
  readonly flags: number;
}

/** The `traceparent` headers that the gateway accepts. */
export const acceptedTraces: readonly AcceptedTrace[] = [
  { name: "the values of the specification's example", traceparent: EXAMPLE, flags: 1 },
  { name: "an unsampled trace", traceparent: `00-${TRACE_ID}-${PARENT_ID}-00`, flags: 0 },
  { name: "a random trace id (level 2)", traceparent: `00-${TRACE_ID}-${PARENT_ID}-03`, flags: 3 },
  { name: "undefined flags", traceparent: `00-${TRACE_ID}-${PARENT_ID}-ff`, flags: 3 },
  { name: "a later version", traceparent: `01-${TRACE_ID}-${PARENT_ID}-01`, flags: 1 },
  { name: "a later version's flags", traceparent: `cc-${TRACE_ID}-${PARENT_ID}-ff`, flags: 1 },
  {
    name: "a later version with more parts",
    traceparent: `cc-${TRACE_ID}-${PARENT_ID}-01-what`,
    flags: 1,
  },
  {
    name: "a later version with a dash at the end",
    traceparent: `fe-${TRACE_ID}-${PARENT_ID}-01-`,
    flags: 1,
  },
];

/** Lists of `traceparent` headers in one request that the gateway ignores, by the reason. */
export const ignoredTraces: Readonly<Record<string, readonly string[]>> = {
  "no header": [],
  "an empty header": [""],
  "two headers": [EXAMPLE, EXAMPLE],
  "two values in one header": [`${EXAMPLE}, ${EXAMPLE}`],
  words: ["maria@example.gr"],
  "a trace id of zeros": [`00-${"0".repeat(32)}-${PARENT_ID}-01`],
  "a trace id that is a number": [`00-${"094772316".padStart(32, "0")}-${PARENT_ID}-01`],
  "a parent id of zeros": [`00-${TRACE_ID}-${"0".repeat(16)}-01`],
  "a trace id in upper case": [`00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
  "a parent id in upper case": [`00-${TRACE_ID}-${PARENT_ID.toUpperCase()}-01`],
  "flags in upper case": [`00-${TRACE_ID}-${PARENT_ID}-0A`],
  "flags that are not a number": [`00-${TRACE_ID}-${PARENT_ID}-0x`],
  "a trace id that is too short": [`00-${TRACE_ID.slice(1)}-${PARENT_ID}-01`],
  "a trace id that is too long": [`00-${TRACE_ID}0-${PARENT_ID}-01`],
  "a trace id with other letters": [`00-${TRACE_ID.slice(1)}g-${PARENT_ID}-01`],
  "a parent id that is too short": [`00-${TRACE_ID}-${PARENT_ID.slice(1)}-01`],
  "no flags": [`00-${TRACE_ID}-${PARENT_ID}`],
  "one digit of flags": [`00-${TRACE_ID}-${PARENT_ID}-1`],
  "version 00 with more parts": [`${EXAMPLE}-what`],
  "version 00 with a dash at the end": [`${EXAMPLE}-`],
  "version ff": [`ff-${TRACE_ID}-${PARENT_ID}-01`],
  "a version of one digit": [`0-${TRACE_ID}-${PARENT_ID}-01`],
  "a version that is not a number": [`0x-${TRACE_ID}-${PARENT_ID}-01`],
  "a later version with text after the flags": [`cc-${TRACE_ID}-${PARENT_ID}-01.what`],
  "a later version that is too short": [`cc-${TRACE_ID}-${PARENT_ID}-0`],
  "another separator": [`00_${TRACE_ID}_${PARENT_ID}_01`],
  "a space before the value": [` ${EXAMPLE}`],
  "a line break after the value": [`${EXAMPLE}\n`],
};
