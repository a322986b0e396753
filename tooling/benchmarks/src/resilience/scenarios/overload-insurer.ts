import { goodOf, tookAt } from "../../load/samples.ts";
import { type GatewayUnderTest, withGateway } from "../gateway-under-test.ts";
import { type MeasuredLoad, measureLoad } from "../measured-load.ts";
import { overloadFigures } from "../overload-figures.ts";
import { known, type Scenario } from "../scenario.ts";
import { count, ms, rate } from "../words.ts";

const INSURER_MS = 100;
/** What the default bulkhead of 32 lets through of it, and less and more than that. */
const RATES = [240, 320, 400, 480];
const CONNECTIONS = 1_000;

/** More calls than an insurer can take. */
export const overloadInsurer: Scenario = {
  name: "overload-insurer",
  about: "what is left of the good answers at ten times what one insurer can take",
  seconds: 15,
  run: (seconds, progress) =>
    withGateway({}, async (gateway) => {
      await gateway.answerAfter("provider-d", INSURER_MS);
      const peak = await findPeak(gateway, Math.min(seconds, 5), progress);
      const over = await send(gateway, peak.goodput * 10, seconds, progress);
      return [
        {
          title: "Ten times what an insurer can take",
          method:
            `One insurer that answers after ${INSURER_MS} ms, behind the default bulkhead (32 at a time, 32 waiting ` +
            `for 250 ms). First ${RATES.join(", ")} calls a second, to find the most good answers; then ten times that, for ${seconds} s.`,
          figures: [
            known("The most good answers", rate(peak.goodput)),
            known("p99 of those", ms(tookAt(goodOf(peak.samples), 0.99))),
            ...overloadFigures([{ peak, over }]),
          ],
        },
      ];
    }),
};

async function findPeak(
  gateway: GatewayUnderTest,
  seconds: number,
  progress: (text: string) => void,
): Promise<MeasuredLoad> {
  const measured: MeasuredLoad[] = [];
  for (const perSecond of RATES) {
    progress(`${count(perSecond)} calls a second`);
    measured.push(await send(gateway, perSecond, seconds, progress));
  }
  return measured.reduce((best, next) => (next.goodput > best.goodput ? next : best));
}

function send(
  gateway: GatewayUnderTest,
  perSecond: number,
  seconds: number,
  progress: (text: string) => void,
): Promise<MeasuredLoad> {
  const calls = [gateway.call("provider-d")];
  return measureLoad(
    gateway,
    { calls, perSecond, connections: CONNECTIONS, settleSeconds: 2, seconds },
    progress,
  );
}
