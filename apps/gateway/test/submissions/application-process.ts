import { createGateway, type KeyStore } from "@insurance-gateway/core";
import { fileKeyStore } from "@insurance-gateway/core/node";
import { createTransport } from "@insurance-gateway/core/transport";
import { createApplication, type MotorApplication } from "@insurance-gateway/provider-d";

/** Argument of this calling program, as JSON. The program submits once, and kills itself at the point `dieAt`. */
export interface CrashPlan {
  readonly address: string;
  readonly token: string;
  readonly body: MotorApplication;
  readonly key: string;
  /** Folder of the calling program's key store. */
  readonly folder: string;
  readonly dieAt: string;
}

// The test that starts the program writes the program's argument.
const plan = JSON.parse(process.argv[2] ?? "") as CrashPlan;
const reach = (point: string): void => {
  if (point === plan.dieAt) process.kill(process.pid, "SIGKILL");
};

const files = fileKeyStore(plan.folder);
const store: KeyStore = {
  ...files,
  async add(stored) {
    reach("before the key is stored");
    const adding = files.add(stored);
    reach("while the key is stored");
    await adding;
    reach("after the key is stored");
  },
};
const transport = createTransport();
const gateway = createGateway({
  baseUrl: plan.address,
  token: plan.token,
  transport: {
    ...transport,
    send(request) {
      reach("before the request is sent");
      return transport.send(request);
    },
  },
});
const { body, key } = plan;
await gateway.submit(createApplication, { body, key, store });
reach("before the result is saved");
await store.remove({ key, provider: "provider-d", endpoint: "POST /applications" });
reach("after the key is removed");
