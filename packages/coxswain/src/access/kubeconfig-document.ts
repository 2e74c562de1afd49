/** A kubeconfig as data: entries by their names, and which of them coxswain wrote. */
import { parseYaml, stringifyYaml } from "@coxswain/machinery";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { markName, type ServerMark } from "./kubeconfig.ts";

type Fields = Readonly<Record<string, unknown>>;
type ListName = "clusters" | "users" | "contexts";

export interface NamedEntry extends Fields {
  readonly name: string;
}

export interface KubeconfigDocument extends Fields {
  readonly clusters: readonly NamedEntry[];
  readonly users: readonly NamedEntry[];
  readonly contexts: readonly NamedEntry[];
  readonly "current-context": string;
}

/** @throws StartError for what is no kubeconfig */
export async function parseDocument(text: string, path: string): Promise<KubeconfigDocument> {
  let value: unknown;
  try {
    value = (await parseYaml(text)) ?? {};
  } catch (error) {
    throw startErrorOf(`cannot read ${path}`, error);
  }
  if (!isFields(value)) throw new StartError(`${path} is not a kubeconfig`);
  const current = value["current-context"];
  return {
    apiVersion: "v1",
    kind: "Config",
    ...value,
    clusters: entriesOf(value.clusters),
    users: entriesOf(value.users),
    contexts: entriesOf(value.contexts),
    "current-context": typeof current === "string" ? current : "",
  };
}

/** Keys in order, as kubectl writes it. */
export const documentText = (document: KubeconfigDocument): Promise<string> => stringifyYaml(document);

/** With `fields` in the entry `name` of a list, at its place or at the end; what else is in the entry stays. */
export function withEntry(document: KubeconfigDocument, list: ListName, name: string, fields: Fields): KubeconfigDocument {
  const kind = list.slice(0, -1);
  const present = document[list].find((entry) => entry.name === name);
  const entry = { ...present, name, [kind]: { ...fieldsOf(present?.[kind]), ...fields } };
  const entries = present === undefined ? [...document[list], entry] : document[list].map((one) => (one === present ? entry : one));
  return { ...document, [list]: entries };
}

/** Without a cluster, and without the contexts that lead to it and the users of those contexts alone. */
export function withoutCluster(document: KubeconfigDocument, cluster: string): KubeconfigDocument {
  const gone = document.contexts.filter((context) => fieldsOf(context.context).cluster === cluster);
  const contexts = document.contexts.filter((context) => !gone.includes(context));
  const userOf = (context: NamedEntry): unknown => fieldsOf(context.context).user;
  const users = new Set(gone.map(userOf).filter((user) => !contexts.some((context) => userOf(context) === user)));
  return {
    ...document,
    clusters: document.clusters.filter(({ name }) => name !== cluster),
    users: document.users.filter(({ name }) => !users.has(name)),
    contexts,
  };
}

/** What coxswain noted in the entry of a cluster; undefined for one of somebody else's. */
export function markOf(cluster: NamedEntry | undefined): ServerMark | undefined {
  const { extensions } = fieldsOf(cluster?.cluster);
  const found = entriesOf(extensions).find(({ name }) => name === markName)?.extension;
  if (!isFields(found) || typeof found.pid !== "number" || typeof found.startTime !== "string") return undefined;
  const { pid, startTime, merged } = found;
  if (!isFields(merged)) return { pid, startTime };
  return { pid, startTime, merged: { previousContext: typeof merged.previousContext === "string" ? merged.previousContext : "" } };
}

/** The cluster that a context leads to. */
export function clusterOf(document: KubeconfigDocument, context: string): string | undefined {
  const { cluster } = fieldsOf(document.contexts.find(({ name }) => name === context)?.context);
  return typeof cluster === "string" ? cluster : undefined;
}

/** In PEM: who signs the certificate of a server, by what a kubeconfig says of it. */
export async function authorityIn(text: string, server: string): Promise<string | undefined> {
  const { clusters } = await parseDocument(text, "the kubeconfig");
  const data = clusters.map(({ cluster }) => fieldsOf(cluster)).find((one) => one.server === server)?.["certificate-authority-data"];
  return typeof data === "string" ? Buffer.from(data, "base64").toString() : undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

const entriesOf = (value: unknown): NamedEntry[] =>
  Array.isArray(value) ? value.filter((entry): entry is NamedEntry => isFields(entry) && typeof entry.name === "string") : [];
