export { compareContracts } from "./compare-contracts.ts";
export {
  type ChangeKind,
  type ChangeLevel,
  type Contract,
  type ContractChange,
  levels,
  neededLevel,
} from "./contract.ts";
export { printChanges } from "./print.ts";
export { readEarlier } from "./read-contract.ts";
export { UnreadableContract } from "./side.ts";
