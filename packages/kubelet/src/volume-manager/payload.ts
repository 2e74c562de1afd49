/** The files of volumes that show what the API knows. @see https://kubernetes.io/docs/concepts/storage/projected-volumes/ */
import { normalize } from "node:path";
import type { coreV1 } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import { metadataValue } from "../downward-api/field-value.ts";
import { resourceValue } from "../downward-api/resource-value.ts";
import { allContainers } from "../object-managers/pod-references.ts";
import type { TokenManager } from "../object-managers/token-manager.ts";
import { unlessMissing } from "../object-managers/unless-missing.ts";
import type { SecretAndConfigMapManager } from "../object-managers/watch-based-manager.ts";
import type { Pod } from "../pod/pod.ts";
import type { Payload, ProjectedFile } from "./atomic-writer.ts";

export interface PayloadSources {
  readonly objects: Pick<SecretAndConfigMapManager, "getConfigMap" | "getSecret">;
  readonly tokens: Pick<TokenManager, "getServiceAccountToken">;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface MadePayload {
  readonly files: Payload;
  /** When a file should be written again though nothing has changed; milliseconds since the epoch. */
  readonly renewAt: number;
}

type Files = Map<string, ProjectedFile>;
type Items = readonly coreV1.KeyToPath[] | undefined;

const defaultMode = 0o644;
const defaultExpirationSeconds = 3600;

/** Undefined for a volume that shows nothing of the API. @throws Error in Kubernetes' words */
export async function payloadOf(pod: Pod, volume: coreV1.Volume, sources: PayloadSources): Promise<MadePayload | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const namespace = pod.metadata?.namespace ?? "";
  const plain = (files: Files): MadePayload => ({ files, renewAt: Number.POSITIVE_INFINITY });
  if (configMap !== undefined) return plain(await ofConfigMap(namespace, configMap, configMap.defaultMode ?? defaultMode, sources));
  if (secret !== undefined)
    return plain(await ofSecret(namespace, { ...secret, name: secret.secretName }, secret.defaultMode ?? defaultMode, sources));
  if (downwardAPI !== undefined) return plain(ofDownward(pod, downwardAPI.items ?? [], downwardAPI.defaultMode ?? defaultMode, sources));
  return projected === undefined ? undefined : await ofProjected(pod, projected, sources);
}

async function ofProjected(
  pod: Pod,
  { sources: parts = [], defaultMode: mode = defaultMode }: coreV1.ProjectedVolumeSource,
  sources: PayloadSources,
) {
  const namespace = pod.metadata?.namespace ?? "";
  const files: Files = new Map();
  const problems: unknown[] = [];
  let renewAt = Number.POSITIVE_INFINITY;
  const add = (more: Files): void => {
    for (const [path, file] of more) files.set(path, file);
  };
  for (const part of parts) {
    try {
      if (part.secret !== undefined) add(await ofSecret(namespace, part.secret, mode, sources));
      else if (part.configMap !== undefined) add(await ofConfigMap(namespace, part.configMap, mode, sources));
      else if (part.downwardAPI !== undefined) add(ofDownward(pod, part.downwardAPI.items ?? [], mode, sources));
      else if (part.serviceAccountToken !== undefined) {
        const token = await ofToken(pod, part.serviceAccountToken, mode, sources);
        files.set(part.serviceAccountToken.path, token.file);
        renewAt = Math.min(renewAt, token.renewAt);
      } else problems.push(new Error(`${Object.keys(part).join()} projection is not supported by this kubelet`));
    } catch (error) {
      sources.signal.throwIfAborted();
      problems.push(error);
    }
  }
  if (problems.length > 0) throw aggregate(problems);
  return { files, renewAt };
}

async function ofConfigMap(
  namespace: string,
  { name = "", items, optional }: { readonly name?: string; readonly items?: Items; readonly optional?: boolean },
  mode: number,
  { objects, signal }: PayloadSources,
): Promise<Files> {
  const found = await unlessMissing(objects.getConfigMap(namespace, name, signal), { kind: "configmap", name }, optional);
  const contents = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(found?.data ?? {})) contents.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(found?.binaryData ?? {})) contents.set(key, Buffer.from(base64, "base64"));
  return choose(contents, items, { mode, optional, missing: "configmap references non-existent config key" });
}

async function ofSecret(
  namespace: string,
  { name = "", items, optional }: { readonly name?: string | undefined; readonly items?: Items; readonly optional?: boolean },
  mode: number,
  { objects, signal }: PayloadSources,
): Promise<Files> {
  const found = await unlessMissing(objects.getSecret(namespace, name, signal), { kind: "secret", name }, optional);
  const contents = new Map<string, Uint8Array>();
  for (const [key, base64] of Object.entries(found?.data ?? {})) contents.set(key, Buffer.from(base64, "base64"));
  return choose(contents, items, { mode, optional, missing: "references non-existent secret key" });
}

/** All of it, or what the items name. */
function choose(
  contents: ReadonlyMap<string, Uint8Array>,
  items: Items,
  { mode, optional, missing }: { readonly mode: number; readonly optional: boolean | undefined; readonly missing: string },
): Files {
  const files: Files = new Map();
  if (items === undefined || items.length === 0) {
    for (const [key, data] of contents) files.set(key, { data, mode });
    return files;
  }
  for (const { key, path, mode: own } of items) {
    const data = contents.get(key);
    if (data !== undefined) files.set(path, { data, mode: own ?? mode });
    else if (optional !== true) throw new Error(`${missing}: ${key}`);
  }
  return files;
}

function ofDownward(pod: Pod, items: readonly coreV1.DownwardAPIVolumeFile[], mode: number, { allocatable }: PayloadSources): Files {
  const files: Files = new Map();
  const problems: unknown[] = [];
  for (const { path, mode: own, fieldRef, resourceFieldRef } of items) {
    try {
      const text =
        fieldRef !== undefined
          ? metadataValue(pod, fieldRef.fieldPath)
          : resourceFieldRef === undefined
            ? ""
            : resourceValue(pod, resourceFieldRef, undefined, allocatable());
      files.set(normalize(path), { data: Buffer.from(text), mode: own ?? mode });
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw aggregate(problems);
  return files;
}

async function ofToken(pod: Pod, token: coreV1.ServiceAccountTokenProjection, mode: number, { tokens, signal }: PayloadSources) {
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const owner = fileOwner(pod);
  const request = {
    namespace,
    account: pod.spec?.serviceAccountName ?? "default",
    audience: token.audience ?? "",
    expirationSeconds: token.expirationSeconds ?? defaultExpirationSeconds,
    pod: { name, uid },
  };
  const { token: text, renewAt } = await tokens.getServiceAccountToken(request, signal);
  // A group that gets the volume may read it in the end.
  const own = owner !== undefined || pod.spec?.securityContext?.fsGroup !== undefined;
  return { file: { data: Buffer.from(text), mode: own ? 0o600 : mode, owner }, renewAt };
}

/** The user of all containers, where there is one. */
function fileOwner({ spec }: Pod): number | undefined {
  const containers = allContainers(spec);
  const users = new Set(containers.map((one) => one.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser));
  const [user] = users;
  return users.size === 1 ? user : undefined;
}

/** As Kubernetes writes several problems down as one. */
function aggregate(problems: readonly unknown[]): Error {
  const texts = [...new Set(problems.map(messageOf))];
  return new Error(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`, { cause: problems[0] });
}
