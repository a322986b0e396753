import { fileURLToPath } from "node:url";
import { startSandboxGateway } from "@insurance-gateway/running-gateway";
import { chromium, type Page } from "playwright-core";

/** A screenshot: its name, its page, and the steps on the page before the screenshot. */
interface Picture {
  readonly name: string;
  readonly path: string;
  readonly colorScheme?: "dark" | "light";
  readonly prepare?: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  {
    name: "front",
    path: "",
    prepare: async (page) => {
      await page.getByRole("combobox").fill("applications");
      await page.getByRole("option").first().waitFor();
    },
  },
  {
    name: "provider",
    path: "/providers/provider-d/createApplication",
    colorScheme: "dark",
    prepare: async (page) => {
      await page.getByText("import { createApplication }").waitFor();
    },
  },
  {
    name: "sent",
    path: "/providers/provider-d/createApplication",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Get a development token" }).click();
      await page.getByText("This tab uses a token").waitFor();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("heading", { name: "Created" }).waitFor();
    },
  },
  { name: "outcomes", path: "/outcomes" },
  { name: "error", path: "/errors/OUTCOME_UNKNOWN", colorScheme: "dark" },
  { name: "errors", path: "/errors" },
  { name: "sandbox", path: "/sandbox" },
  { name: "limits", path: "/limits" },
  { name: "collections", path: "/collections" },
];

const folder = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const gateway = await startSandboxGateway();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  for (const { colorScheme = "light", name, path, prepare } of pictures) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme });
    // After this visit, the browser tab has the secret for the development token button.
    await page.goto(gateway.process.referenceAddress);
    await page.goto(`${gateway.address}/reference${path}`);
    await prepare?.(page);
    await page.waitForLoadState("networkidle");
    const file = `${folder}${name}.jpeg`;
    await page.screenshot({ path: file, type: "jpeg", quality: 55 });
    process.stdout.write(`${file}\n`);
    await page.close();
  }
} finally {
  await browser.close();
  await gateway.stop();
}
