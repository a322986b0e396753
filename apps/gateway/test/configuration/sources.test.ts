import { describe, expect, it } from "vitest";
import type { FileContent } from "../../src/configuration/files.ts";
import {
  type Environment,
  type ExaminedConfiguration,
  examineConfiguration,
} from "../../src/configuration/load.ts";

/** Examines the content of a configuration file. An object is written as JSON. */
function examined(
  content: FileContent | object,
  environment: Environment = {},
): ExaminedConfiguration {
  const read = (): FileContent =>
    "text" in content || "fault" in content
      ? // No key of the configuration is named `text` or `fault`, so this object is the content of a file.
        content
      : { text: JSON.stringify(content) };
  return examineConfiguration(environment, "/etc/gateway", { read });
}

const providers = [{ package: "p", upstream: "sandbox" }];

describe("the configuration file", () => {
  it.each<[string, FileContent | object, Environment, readonly string[]]>([
    ["that cannot be read", { fault: "unreadable" }, {}, ["the file cannot be read"]],
    ["that is not JSON", { text: "{" }, {}, ["the file is not JSON"]],
    [
      "that GATEWAY_CONFIG names but that does not exist",
      { fault: "missing" },
      { GATEWAY_CONFIG: "own.json" },
      ["GATEWAY_CONFIG names a file that does not exist"],
    ],
  ])(
    "the configuration check reports exactly one fault for a configuration file %s",
    (_, content, environment, faults) => {
      expect(examined(content, environment)).toEqual({
        source: `/etc/gateway/${environment.GATEWAY_CONFIG ?? "gateway.config.json"}`,
        faults,
        configuration: null,
        leftOut: [],
      });
    },
  );

  it("the error about a missing configuration file advises to create the file or to set GATEWAY_CONFIG", () => {
    expect(() => examined({ fault: "missing" })).toThrow(
      "there is no gateway.config.json in this folder; create one, or set GATEWAY_CONFIG",
    );
  });

  it("the gateway's folder is the folder of the configuration file, and relative paths start there", () => {
    const named = examined({ providers }, { GATEWAY_CONFIG: "below/own.json" });
    expect(named).toMatchObject({
      source: "/etc/gateway/below/own.json",
      configuration: { folder: "/etc/gateway/below", data: "/etc/gateway/below/data" },
    });
    expect(examined({ providers, data: "/var/gateway" }).configuration).toMatchObject({
      source: "/etc/gateway/gateway.config.json",
      folder: "/etc/gateway",
      data: "/var/gateway",
      workspace: false,
    });
  });
});

describe("environment variables", () => {
  it("environment variables take precedence over the configuration file", () => {
    const content = {
      providers,
      data: "./mine",
      listen: { host: "203.0.113.1", port: 1, basePath: "/insurance" },
      operations: { host: "203.0.113.2" },
    };
    const environment = {
      HOST: "127.0.0.2",
      PORT: "65535",
      OPERATIONS_HOST: "127.0.0.3",
      OPERATIONS_PORT: "0",
      GATEWAY_DATA: "elsewhere",
    };
    expect(examined(content, environment)).toMatchObject({
      faults: [],
      configuration: {
        data: "/etc/gateway/elsewhere",
        listen: { host: "127.0.0.2", port: 65_535, basePath: "/insurance" },
        operations: { host: "127.0.0.3", port: 0 },
      },
    });
    expect(examined({ providers }, environment).configuration).toMatchObject({
      listen: { host: "127.0.0.2", port: 65_535, basePath: "" },
    });
    expect(examined({ ...content, data: "." }).configuration).toMatchObject({
      data: "/etc/gateway",
      listen: { host: "203.0.113.1", port: 1 },
      operations: { host: "203.0.113.2", port: 9_090 },
    });
  });

  it.each([["65536"], ["-1"], ["eighty"], ["1.5"], [""], ["000080"]])(
    "the configuration check refuses an invalid port in an environment variable: %j",
    (port) => {
      const { faults, leftOut } = examined({ providers }, { PORT: port, OPERATIONS_PORT: port });
      expect(faults).toEqual([
        "PORT (environment): must be a port number from 0 to 65535",
        "OPERATIONS_PORT (environment): must be a port number from 0 to 65535",
      ]);
      expect(leftOut).toEqual([]);
    },
  );
});
