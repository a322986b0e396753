import { offerDevelopmentToken } from "./development-token.ts";
import { createApiReference } from "./scalar/standalone.esm.js";
import { keysOfForm, newUuid } from "./submission-keys.ts";

const place = document.querySelector<HTMLElement>("#reference");
if (place === null) throw new Error("The page has no place for the reference");
const response = await fetch(place.dataset.document ?? "");
// The outline of the page stays, which says what there is.
if (!response.ok) throw new Error(`The gateway answered ${response.status} for the document`);
const documentText = await response.text();

/** The document as this reader has it: with a key of its own for each snippet, a token once there is one, and this host. */
function contentWith(token: string): unknown {
  const read = JSON.parse(
    documentText
      .replaceAll("YOUR_KEY", newUuid)
      .replaceAll("YOUR_TOKEN", token === "" ? "YOUR_TOKEN" : token),
  );
  const [server] = read.servers;
  server.url = new URL(server.url, location.href).href.replace(/\/$/, "");
  return read;
}

/**
 * The page asks no other host, stores nothing in the browser and has only our own snippets. There is one way to authenticate:
 * the button that chooses one is hidden, because its long text covers the word "Required".
 */
const configuration = {
  content: contentWith(""),
  layout: "modern",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  hiddenClients: true,
  defaultHttpClient: { targetKey: "custom", clientKey: "typescript" },
  documentDownloadType: "none",
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: true,
  defaultOpenFirstTag: true,
  expandAllResponses: false,
  operationTitleSource: "summary",
  customCss: `
    .light-mode { --scalar-color-2: #47484a; --scalar-color-3: #5f6166; --scalar-color-green: #046c46; --scalar-color-orange: #a04306; --scalar-color-blue: #0a5ea8; }
    .dark-mode { --scalar-color-2: #b9bbc0; --scalar-color-3: #a2a5ab; }
    .scalar-reference-intro-auth [id^="headlessui-popover-button"] { display: none; }
    .sidebar-search-placeholder { color: var(--scalar-color-2); opacity: 1; }
  `,
  authentication: { preferredSecurityScheme: "bearerToken" },
  ...keysOfForm(JSON.parse(documentText)),
  onLoaded: () => document.querySelector("#outline")?.remove(),
};

// Scalar keeps its own bars below ours where ours stays in sight.
const bar = document.querySelector<HTMLElement>(".top");
const height = bar !== null && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
document.documentElement.style.setProperty("--scalar-custom-header-height", `${height}px`);

const reference = createApiReference(place, configuration);
offerDevelopmentToken((token) => {
  reference.updateConfiguration({
    ...configuration,
    content: contentWith(token),
    authentication: {
      preferredSecurityScheme: "bearerToken",
      securitySchemes: { bearerToken: { token } },
    },
  });
});
