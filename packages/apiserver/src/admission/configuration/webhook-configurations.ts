/** Configurations of plugins that ask webhooks: they name kubeconfigs. Each function throws an Error in Kubernetes' words. */
import { isAbsolute } from "node:path";
import { field, formatGoDuration, isObject, parseYaml } from "@coxswain/machinery";
import type { ImagePolicyConfiguration } from "../../contracts/admission-configuration.ts";
import type { KubeconfigReader, WebhookUsers } from "../../contracts/webhook-credentials.ts";
import { decodeDocument } from "./decode-document.ts";

/** Undefined where webhooks are shown nothing. */
export async function webhookUsersOf(text: string | undefined, kubeconfigs: KubeconfigReader): Promise<WebhookUsers | undefined> {
  if (text === undefined) return undefined;
  const type = "WebhookAdmissionConfiguration";
  const kinds = [{ kind: type, versions: ["apiserver.config.k8s.io/v1"], type }];
  const { kubeConfigFile = "", staticManifestsDir = "" } = (await decodeDocument(text, { kinds })) as WebhookDocument;
  if (kubeConfigFile !== "" && !isAbsolute(kubeConfigFile))
    throw new Error(field.formatFieldError(field.invalid("kubeConfigFile", kubeConfigFile, "must be an absolute file path")));
  if (staticManifestsDir !== "") {
    const why = "staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled";
    throw new Error(field.formatFieldError(field.forbidden("staticManifestsDir", why)));
  }
  return kubeConfigFile === "" ? undefined : await kubeconfigs.users(kubeConfigFile);
}

interface WebhookDocument {
  readonly kubeConfigFile?: string;
  readonly staticManifestsDir?: string;
}

/** A document without a kind, whose fields are not checked. */
export async function imagePolicyOf(text: string | undefined, kubeconfigs: KubeconfigReader): Promise<ImagePolicyConfiguration> {
  if (text === undefined) throw new Error("no config specified");
  const document = await parseYaml(text);
  const given = isObject(document) && isObject(document.imagePolicy) ? document.imagePolicy : {};
  const retryBackoffMs = durationOf(given, "retryBackoff", backoffBounds);
  const allowedMs = durationOf(given, "allowTTL", { ...ttlBounds, byDefault: 300_000 });
  const deniedMs = durationOf(given, "denyTTL", { ...ttlBounds, byDefault: 30_000 });
  const { kubeConfigFile, defaultAllow } = given;
  const webhook = await kubeconfigs.access(typeof kubeConfigFile === "string" ? kubeConfigFile : "");
  return { webhook, allowedMs, deniedMs, retryBackoffMs, defaultAllow: defaultAllow === true };
}

interface Bounds {
  /** Milliseconds, all of them. */
  readonly unit: number;
  readonly min: number;
  readonly max: number;
  readonly byDefault: number;
}

const backoffBounds: Bounds = { unit: 1, min: 1e-6, max: 300_000, byDefault: 500 };
const ttlBounds = { unit: 1_000, min: 1_000, max: 1_800_000 };

/** 0 stands for the default, -1 for none. */
function durationOf(given: Readonly<Record<string, unknown>>, name: string, { unit, min, max, byDefault }: Bounds): number {
  const value = given[name] ?? 0;
  if (typeof value !== "number" || !Number.isInteger(value))
    throw new Error(
      `json: cannot unmarshal ${typeof value} into Go struct field imagePolicyWebhookConfig.imagePolicy.${name} of type time.Duration`,
    );
  if (value === -1) return 0;
  if (value === 0) return byDefault;
  const ms = value * unit;
  if (ms >= min && ms <= max) return ms;
  const [from, to, got] = [min, max, ms].map(formatGoDuration);
  throw new Error(`valid value is between ${from} and ${to}, got ${got}`);
}
