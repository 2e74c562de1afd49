/** Manifests into a cluster, as `kubectl apply --server-side` does it. */
import { readFile } from "node:fs/promises";
import { type Client, customResourceDefinitions } from "@coxswain/client";
import { type KubeObject, parseYaml } from "@coxswain/machinery";
import { type OptionNames, validateOptions } from "../validation/options.ts";
import { waitFor } from "./wait-for.ts";

/** How manifests are applied. */
export interface ApplyYamlOptions {
  /** Default: `coxswain-testing`. */
  readonly fieldManager?: string;
  /** Takes the fields that others own. Default: true. */
  readonly force?: boolean;
  /** For objects that name none. Default: the client's. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** A text with any number of documents, or files of such texts. */
export type Manifests = string | { readonly files: readonly string[] };

/** In the order of the documents; a definition is waited for, so that its objects may come right behind it. */
export async function applyYaml(client: Client, manifests: Manifests, options: ApplyYamlOptions = {}): Promise<KubeObject[]> {
  validateOptions("applyYaml", options, applyYamlOptions);
  const { fieldManager = "coxswain-testing", force = true, namespace, signal } = options;
  const applied: KubeObject[] = [];
  for (const text of await textsOf(manifests)) {
    for (const object of await objectsOf(text)) {
      const { apiVersion = "", kind = "" } = object;
      const ref = await client.refOf({ apiVersion, kind }, { signal });
      const targetNamespace = ref.namespaced ? (object.metadata?.namespace ?? namespace) : undefined;
      const result = await client.resource(ref, targetNamespace).apply(object, { fieldManager, force, signal });
      if (kind === customResourceDefinitions.kind) await established(client, result, signal);
      applied.push(result);
    }
  }
  return applied;
}

const applyYamlOptions: OptionNames<ApplyYamlOptions> = { fieldManager: true, force: true, namespace: true, signal: true };

async function established(client: Client, { metadata }: KubeObject, signal: AbortSignal | undefined): Promise<void> {
  const target = metadata?.name ?? "";
  await waitFor(client, { ref: customResourceDefinitions, target, until: "condition=Established" }, { signal });
}

async function textsOf(manifests: Manifests): Promise<readonly string[]> {
  return typeof manifests === "string" ? [manifests] : Promise.all(manifests.files.map((path) => readFile(path, "utf8")));
}

const separator = /^---(?=\s|$).*$/m;

async function objectsOf(text: string): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const document of text.split(separator)) {
    const value = await parseYaml(document);
    if (value === null) continue;
    if (!isKubeObject(value))
      throw new TypeError(`a document of the manifest is no object with apiVersion and kind: ${document.trim().slice(0, 200)}`);
    objects.push(...("items" in value && Array.isArray(value.items) && value.kind?.endsWith("List") ? value.items : [value]));
  }
  return objects;
}

const isKubeObject = (value: unknown): value is KubeObject =>
  typeof value === "object" &&
  value !== null &&
  "apiVersion" in value &&
  typeof value.apiVersion === "string" &&
  "kind" in value &&
  typeof value.kind === "string";
