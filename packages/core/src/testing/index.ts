export {
  type FakeCall,
  type FakeGateway,
  type FakeGatewayOptions,
  fakeGateway,
  type LostAnswer,
} from "./fake-gateway.ts";
export type { SimulatedInsurer, SimulatedRecord } from "./simulated-insurer.ts";
export type { Duration, FakeClock } from "./virtual-time.ts";
