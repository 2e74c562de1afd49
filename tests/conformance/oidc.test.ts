/** Tokens of an issuer of OpenID Connect: a file of authentication, or options, and kubectl with a plugin that gets them. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";
import { chosenKubectls, runKubectl } from "./kubectl/kubectl.ts";
import { type OidcIssuer, startOidcIssuer } from "./oidc-issuer.ts";

const kubectls = chosenKubectls();

describe("tokens of an issuer", { concurrency: 1, skip: kubectls.length === 0 ? "there is no kubectl" : false }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-oidc-"));
  const file = (name: string): string => join(directory, name);
  const configFile = file("authentication.yaml");
  const started: CommandUnderTest[] = [];
  let issuer: OidcIssuer;

  const configuration = (prefix: string): string => `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${issuer.url}
    audiences: [cluster]
    certificateAuthority: |
${issuer.certificateAuthority.replace(/^/gm, "      ")}
  claimMappings:
    username: {claim: sub, prefix: "${prefix}"}
    groups: {expression: "claims.roles.map(r, 'team-' + r)"}
  userValidationRules:
  - {expression: "!user.username.startsWith('system:')", message: reserved}
anonymous:
  enabled: true
  conditions:
  - path: /livez
`;
  const tokenOf = (sub: string, more: object = {}): string =>
    issuer.token({ aud: "cluster", sub, roles: ["a"], exp: Math.floor(systemClock.now() / 1000) + 600, ...more });
  const start = async (...options: readonly string[]): Promise<CommandUnderTest> => {
    const command = await startCommand("--ephemeral", ...options);
    started.push(command);
    return command;
  };
  /** As kubectl says who it is, with what else it is told. */
  const whoami = (command: CommandUnderTest, user: object): Promise<string> =>
    answerTo(["auth", "whoami", "-o", "jsonpath={.status.userInfo}"], command, user);
  const answerTo = async (args: readonly string[], command: CommandUnderTest, user: object, version = kubectls.at(-1)): Promise<string> => {
    assert.ok(version);
    const data = /certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1]?.replaceAll('"', "");
    const cluster = { server: command.server, "certificate-authority-data": data };
    const context = { cluster: "c", user: "u" };
    const config = { apiVersion: "v1", kind: "Config", "current-context": "x" };
    const parts = { clusters: [{ name: "c", cluster }], users: [{ name: "u", user }], contexts: [{ name: "x", context }] };
    writeFileSync(file("kubeconfig"), JSON.stringify({ ...config, ...parts }));
    const env = { KUBECONFIG: file("kubeconfig"), HOME: directory, PATH: process.env.PATH ?? "" };
    const { stdout, stderr } = await runKubectl(version, args, env);
    return stdout === "" ? stderr.trim() : stdout;
  };

  before(async () => {
    issuer = await startOidcIssuer();
  });
  after(async () => {
    for (const command of started) assert.equal(await command.stop(), 0);
    await issuer[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test("by a file, which is followed", async () => {
    writeFileSync(configFile, configuration("oidc:"));
    const command = await start(`--authentication-config=${configFile}`);
    const token = tokenOf("jane");
    const expected = (name: string): string => `{"groups":["team-a","system:authenticated"],"username":"${name}"}`;
    await waitUntil("the issuer has answered", async () => (await whoami(command, { token })) === expected("oidc:jane"));
    for (const [i, kubectl] of kubectls.entries()) {
      writeFileSync(
        file("plugin"),
        `#!/bin/sh\necho '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${tokenOf(`k${i}`)}"}}'\n`,
      );
      chmodSync(file("plugin"), 0o755);
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: file("plugin"), interactiveMode: "Never" };
      assert.match(
        await answerTo(["get", "pods"], command, { exec }, kubectl),
        new RegExp(`User "oidc:k${i}" cannot list`),
        kubectl.version,
      );
    }
    const expired = tokenOf("jane", { exp: 1 });
    assert.match(await whoami(command, { token: expired }), /You must be logged in to the server/);
    writeFileSync(configFile, configuration("new:"));
    await waitUntil("the new file counts", async () => (await whoami(command, { token })) === expected("new:jane"));
    writeFileSync(configFile, configuration("").replace("path: /livez", "path: /readyz"));
    await waitUntil("a change of anonymous requests is refused", () => command.log().includes("changed from initial configuration file"));
    writeFileSync(configFile, configuration("").replace("claims.roles", "claims.("));
    await waitUntil("an expression that is none is refused", () => command.log().includes("compilation failed: ERROR"));
    assert.equal(await whoami(command, { token }), expected("new:jane"));
    assert.match(await whoami(command, { token: tokenOf("x", { roles: 7 }) }), /You must be logged in/);
    for (const secret of [token, expired]) {
      const [, payload = "", signature = ""] = secret.split(".");
      assert.ok(!command.log().includes(payload) && !command.log().includes(signature));
    }
  });

  test("by options", async () => {
    writeFileSync(file("ca.crt"), issuer.certificateAuthority);
    const command = await start(
      `--oidc-issuer-url=${issuer.url}`,
      "--oidc-client-id=cluster",
      `--oidc-ca-file=${file("ca.crt")}`,
      "--oidc-groups-claim=roles",
      "--oidc-groups-prefix=g:",
      "--oidc-required-claim=hd=example.com",
    );
    const token = tokenOf("jane", { hd: "example.com" });
    const expected = `{"groups":["g:a","system:authenticated"],"username":"${issuer.url}#jane"}`;
    await waitUntil("the issuer has answered", async () => (await whoami(command, { token })) === expected);
    assert.match(await whoami(command, { token: tokenOf("jane") }), /You must be logged in to the server/);
  });

  test("by what contradicts itself, not at all", async () => {
    writeFileSync(configFile, configuration("oidc:"));
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [["--oidc-client-id=x"], /oidc-issuer-url and oidc-client-id must be specified together when any oidc-\* flags are set/],
      [
        [`--authentication-config=${configFile}`, "--oidc-client-id=x"],
        /authentication-config file and oidc-\* flags are mutually exclusive/,
      ],
      [
        [`--authentication-config=${configFile}`, "--anonymous-auth"],
        /--anonymous-auth flag cannot be set when anonymous field is configured/,
      ],
      [
        ["--oidc-issuer-url=http://x", "--oidc-client-id=x"],
        /jwt\[0\]\.issuer\.url: Invalid value: "http:\/\/x": URL scheme must be https/,
      ],
      [["--oidc-issuer-url=https://x", "--oidc-client-id=x", "--oidc-signing-algs=HS256"], /oidc: unsupported signing alg: "HS256"/],
      [[`--authentication-config=${file("none")}`], /cannot use --authentication-config: ENOENT/],
    ];
    for (const [options, says] of refused) await assert.rejects(startCommand("--ephemeral", ...options), says);
  });
});
