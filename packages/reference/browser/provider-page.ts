import { offerDevelopmentToken } from "./development-token.ts";
import { createApiReference } from "./scalar/standalone.esm.js";

const place = document.querySelector<HTMLElement>("#reference");
if (place === null) throw new Error("The page has no place for the reference");
const response = await fetch(place.dataset.document ?? "");
const content: unknown = await response.json();

/** Nothing is asked of another host, nothing is kept in the browser, and our own snippets stand alone. */
const configuration = {
  content,
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
    .sidebar-search-placeholder { color: var(--scalar-color-2); opacity: 1; }
  `,
  authentication: { preferredSecurityScheme: "bearerToken" },
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
    content: JSON.parse(JSON.stringify(content).replaceAll("YOUR_TOKEN", token)),
    authentication: {
      preferredSecurityScheme: "bearerToken",
      securitySchemes: { bearerToken: { token } },
    },
  });
});
