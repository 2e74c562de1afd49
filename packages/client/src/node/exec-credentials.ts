/**
 * Credentials from a program that the kubeconfig names.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
import { spawn } from "node:child_process";
import { type Clock, messageOf, parseJson } from "@coxswain/machinery";
import type { ExecConfig, KubeconfigCluster } from "../kubeconfig/kubeconfig.ts";
import { KubeconfigError } from "../kubeconfig/kubeconfig-error.ts";
import type { Credentials } from "../transport/credentials.ts";
import { type Obtained, renewedCredentials } from "./renewed-credentials.ts";

export interface ExecPluginOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a user can answer what the program asks. */
  readonly terminal: boolean;
  /** PEM; what the program gets when it asks for the cluster. */
  readonly authority?: (() => Promise<string | Uint8Array | undefined>) | undefined;
}

/** A program that waits for a person may take its time; others should not hang for ever. */
const timeoutMs = 60_000;
const interactiveTimeoutMs = 10 * 60_000;
const maxOutputBytes = 1024 * 1024;

/** @throws KubeconfigError when the program fails or prints no credentials */
export const execCredentials = (exec: ExecConfig, cluster: KubeconfigCluster, around: ExecPluginOptions): Credentials =>
  renewedCredentials(around.clock, async () => credentialIn(exec, await run(exec, await environment(exec, cluster, around), around)));

async function environment(exec: ExecConfig, cluster: KubeconfigCluster, around: ExecPluginOptions): Promise<Record<string, string>> {
  const info = {
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo ? { cluster: await clusterInfo(cluster, around) } : {}), interactive: isInteractive(exec, around) },
  };
  const own = exec.env.map(({ name, value }) => [name, value] as const);
  const inherited = Object.entries(around.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries([...inherited, ...own, ["KUBERNETES_EXEC_INFO", JSON.stringify(info)]]);
}

function isInteractive({ interactiveMode }: ExecConfig, { terminal }: ExecPluginOptions): boolean {
  if (interactiveMode === "Always" && !terminal) {
    throw new KubeconfigError("exec plugin cannot support interactive mode: standard input is not a terminal");
  }
  return interactiveMode !== "Never" && terminal;
}

async function clusterInfo(cluster: KubeconfigCluster, { authority }: ExecPluginOptions): Promise<object> {
  const ca = await authority?.();
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === "" ? {} : { "tls-server-name": cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(cluster.proxyUrl === "" ? {} : { "proxy-url": cluster.proxyUrl }),
    ...(cluster.disableCompression ? { "disable-compression": true } : {}),
    config: cluster.execConfig ?? null,
  };
}

/** What the program prints. */
function run(exec: ExecConfig, env: Record<string, string>, around: ExecPluginOptions): Promise<string> {
  const interactive = isInteractive(exec, around);
  return new Promise((resolve, reject) => {
    const stderr = interactive ? "inherit" : "pipe";
    const child = spawn(exec.command, exec.args, { env, stdio: [interactive ? "inherit" : "ignore", "pipe", stderr] });
    const output: Buffer[] = [];
    let complaints = "";
    let length = 0;
    const settle = (error: KubeconfigError | undefined): void => {
      timer[Symbol.dispose]();
      if (error === undefined) return void resolve(Buffer.concat(output).toString());
      child.kill("SIGKILL");
      reject(error);
    };
    const limit = interactive ? interactiveTimeoutMs : timeoutMs;
    const timer = around.clock.schedule(limit, () =>
      settle(new KubeconfigError(`exec: executable ${exec.command} did not end within ${limit / 1000} s`)),
    );
    child.stdout?.on("data", (chunk: Buffer) => {
      output.push(chunk);
      length += chunk.length;
      if (length > maxOutputBytes) settle(new KubeconfigError(`exec: executable ${exec.command} prints too much`));
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaints = (complaints + chunk.toString()).slice(-4_000);
    });
    child.once("error", (error) => settle(cannotRun(exec, error)));
    child.once("close", (code, signal) => {
      const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
      const said = complaints.trim() === "" ? "" : `: ${complaints.trim()}`;
      settle(code === 0 ? undefined : new KubeconfigError(`exec: executable ${exec.command} ${how}${said}`));
    });
  });
}

function cannotRun({ command, installHint }: ExecConfig, error: Error): KubeconfigError {
  if (!("code" in error) || error.code !== "ENOENT") return new KubeconfigError(`exec: ${error.message}`, { cause: error });
  const help = "\n\nIt is a client-go credential plugin, a program that must be installed before this kubeconfig can be used.";
  const hint = installHint === "" ? "" : `\n\n${withoutEscapes(installHint)}`;
  return new KubeconfigError(`exec: executable ${command} not found${help}${hint}`, { cause: error });
}

/** A kubeconfig may come from anywhere; it must not play tricks with a terminal. */
const withoutEscapes = (text: string): string => text.replace(/\u001b/g, "^[");

function credentialIn(exec: ExecConfig, output: string): Obtained {
  const answer = parsed(exec, output);
  if (answer.kind !== "ExecCredential") {
    throw new KubeconfigError(`exec plugin ${exec.command}: decoding stdout: its kind is not ExecCredential`);
  }
  if (answer.apiVersion !== exec.apiVersion) {
    const versions = `API version ${exec.apiVersion}, plugin returned version ${answer.apiVersion}`;
    throw new KubeconfigError(`exec plugin is configured to use ${versions}`);
  }
  const { status } = answer;
  if (!status) throw new KubeconfigError("exec plugin didn't return a status field");
  const { token = "", clientCertificateData: cert = "", clientKeyData: key = "", expirationTimestamp } = status;
  if (token === "" && cert === "" && key === "") throw new KubeconfigError("exec plugin didn't return a token or cert/key pair");
  if ((cert === "") !== (key === "")) throw new KubeconfigError("exec plugin returned only certificate or key, not both");
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAt)) throw new KubeconfigError(`exec plugin: decoding stdout: no time: ${JSON.stringify(expirationTimestamp)}`);
  return {
    credential: {
      authorization: token === "" ? undefined : `Bearer ${token}`,
      certificate: cert === "" ? undefined : { cert, key },
    },
    expiresAt,
  };
}

interface ExecCredential {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  } | null;
}

function parsed({ command }: ExecConfig, output: string): ExecCredential {
  try {
    const value = parseJson(output);
    if (typeof value === "object" && value !== null) return value;
    throw new Error("it is no object");
  } catch (error) {
    const why = messageOf(error);
    throw new KubeconfigError(`exec plugin ${command}: decoding stdout: ${why}`, { cause: error });
  }
}
