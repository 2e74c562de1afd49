/** Who decides what users may do: options that are called as kube-apiserver's. */
import type { AuthorizationMode } from "@coxswain/apiserver";
import { type Command, InvalidArgumentError } from "commander";
import { parseMilliseconds } from "./standalone-options.ts";

/** What the options of authorization come to; files are not read yet. */
export interface AuthorizationSettings {
  /** An AuthorizationConfiguration, instead of all else. */
  readonly configFile?: string | undefined;
  /** In the order in which they are asked. */
  readonly modes?: readonly AuthorizationMode[] | undefined;
  /** For the mode Webhook. */
  readonly webhook?: AuthorizationWebhookSettings | undefined;
}

/** Who is asked in the mode Webhook. */
export interface AuthorizationWebhookSettings {
  /** A kubeconfig; undefined where only other options of the webhook are given. */
  readonly configFile: string | undefined;
  /** Of SubjectAccessReview. */
  readonly version: string;
  /** For how long it counts that something is allowed. Milliseconds. */
  readonly authorizedMs: number;
  /** For how long it counts that it is not. Milliseconds. */
  readonly unauthorizedMs: number;
}

/** Who is asked where the options do not say. */
export const defaultAuthorizationModes: readonly AuthorizationMode[] = ["Node", "RBAC"];

/** As kube-apiserver's, what is not said of the webhook. */
export const defaultAuthorizationWebhook: Omit<AuthorizationWebhookSettings, "configFile"> = {
  version: "v1beta1",
  authorizedMs: 300_000,
  unauthorizedMs: 30_000,
};

export interface ParsedAuthorizationOptions {
  readonly authorizationConfig?: string | undefined;
  readonly authorizationMode?: readonly AuthorizationMode[] | undefined;
  readonly authorizationWebhookConfigFile?: string | undefined;
  readonly authorizationWebhookVersion?: string | undefined;
  readonly authorizationWebhookCacheAuthorizedTtl?: number | undefined;
  readonly authorizationWebhookCacheUnauthorizedTtl?: number | undefined;
}

export const addAuthorizationOptions = (command: Command): Command =>
  command
    .option(
      "--authorization-config <file>",
      "an AuthorizationConfiguration: who decides what users may do, webhooks with conditions; followed",
    )
    .option(
      "--authorization-mode <names>",
      "who decides what users may do, in this order: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny (default: Node,RBAC)",
      parseModes,
    )
    .option("--authorization-webhook-config-file <file>", "a kubeconfig of the webhook that is asked in the mode Webhook")
    .option("--authorization-webhook-version <version>", "of the SubjectAccessReviews that it is sent: v1 or v1beta1 (default: v1beta1)")
    .option(
      "--authorization-webhook-cache-authorized-ttl <duration>",
      "for how long it counts that it allowed (default: 5m)",
      parseMilliseconds,
    )
    .option(
      "--authorization-webhook-cache-unauthorized-ttl <duration>",
      "for how long it counts that it did not (default: 30s)",
      parseMilliseconds,
    );

/** Undefined without any of the options. */
export function authorizationSettingsOf(parsed: ParsedAuthorizationOptions): AuthorizationSettings | undefined {
  const { authorizationConfig: configFile, authorizationMode: modes } = parsed;
  const webhook = webhookSettingsOf(parsed);
  return configFile === undefined && modes === undefined && webhook === undefined ? undefined : { configFile, modes, webhook };
}

function webhookSettingsOf(parsed: ParsedAuthorizationOptions): AuthorizationWebhookSettings | undefined {
  const {
    authorizationWebhookConfigFile: configFile,
    authorizationWebhookVersion: version,
    authorizationWebhookCacheAuthorizedTtl: authorizedMs,
    authorizationWebhookCacheUnauthorizedTtl: unauthorizedMs,
  } = parsed;
  if ((configFile ?? version ?? authorizedMs ?? unauthorizedMs) === undefined) return undefined;
  return {
    configFile,
    version: version ?? defaultAuthorizationWebhook.version,
    authorizedMs: authorizedMs ?? defaultAuthorizationWebhook.authorizedMs,
    unauthorizedMs: unauthorizedMs ?? defaultAuthorizationWebhook.unauthorizedMs,
  };
}

const knownModes: readonly AuthorizationMode[] = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];

/** The modes of those names, or what is wrong with them in Kubernetes' words. */
export function authorizationModesOf(names: readonly string[]): readonly AuthorizationMode[] | string {
  if (names.length === 0) return "at least one authorization-mode must be passed";
  const modes: AuthorizationMode[] = [];
  for (const name of names) {
    const mode = knownModes.find((known) => known === name);
    if (mode === undefined) return `authorization-mode ${JSON.stringify(name)} is not a valid mode`;
    modes.push(mode);
  }
  if (new Set(names).size === names.length) return modes;
  return `authorization-mode [${names.map((name) => JSON.stringify(name)).join(" ")}] has mode specified more than once`;
}

function parseModes(text: string, before: readonly AuthorizationMode[] = []): readonly AuthorizationMode[] {
  const modes = authorizationModesOf([...before, ...text.split(",")]);
  if (typeof modes === "string") throw new InvalidArgumentError(`${modes}.`);
  return modes;
}
