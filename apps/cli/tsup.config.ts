export { default } from "@insurance-gateway/presets/tsup";
