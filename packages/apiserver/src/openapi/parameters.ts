/** The parameters of operations. Each is one object, so that what operations share is found by identity. */

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

const query = (name: string, type: Parameter["type"], description: string): Parameter => ({ name, in: "query", type, description });
const path = (name: string, description: string): Parameter => ({ name, in: "path", type: "string", description });

export const nameParameter = path("name", "Name of the object.");
export const namespaceParameter = path("namespace", "Namespace of the object.");
export const pretty = query(
  "pretty",
  "string",
  "Whether JSON is indented: true or false. By default only for browsers and command-line tools.",
);

const dryRun = query("dryRun", "string", "All: run every step and answer as usual, but store nothing.");
const fieldManager = query("fieldManager", "string", "Who makes the change, for managed fields: at most 128 printable characters.");
const applyFieldManager = query(
  "fieldManager",
  "string",
  "Who makes the change, for managed fields: at most 128 printable characters. Required for apply patches.",
);
const fieldValidation = query("fieldValidation", "string", "What to do with unknown and duplicate fields: Ignore, Warn or Strict.");
const force = query("force", "boolean", "Apply patches only: take fields over from other managers instead of reporting a conflict.");

/** Of POST and PUT. */
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [dryRun, applyFieldManager, fieldValidation, force];

const gracePeriodSeconds = query("gracePeriodSeconds", "integer", "How long the object may take to end. Zero deletes it at once.");
const ignoreStoreReadError = query(
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "boolean",
  "Deletes even what cannot be read any more, without finalizers and preconditions. Dangerous.",
);
const orphanDependents = query("orphanDependents", "boolean", "Deprecated in favour of propagationPolicy: whether dependents stay.");
const propagationPolicy = query("propagationPolicy", "string", "What happens to dependents: Orphan, Background or Foreground.");

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  gracePeriodSeconds,
  ignoreStoreReadError,
  orphanDependents,
  propagationPolicy,
];

export const resourceVersionParameter = query("resourceVersion", "string", "Which state of the cluster is read, or where a watch starts.");

const collection: readonly Parameter[] = [
  query("continue", "string", "Token of the previous page, to get the next one."),
  query("fieldSelector", "string", "Only objects with these field values."),
  query("labelSelector", "string", "Only objects with these labels."),
  query("limit", "integer", "The most objects in a page; more can be had with the answer's continue token."),
  resourceVersionParameter,
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Whether a watch begins with the objects that exist, and a bookmark after them."),
  query("shardSelector", "string", "Only objects of one shard."),
  query("timeoutSeconds", "integer", "When the call ends, whatever happens."),
];

export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks, which tell how far it has come."),
  ...collection,
  query("watch", "boolean", "Whether changes are streamed instead of a list."),
];
export const deleteCollectionParameters: readonly Parameter[] = [...collection, ...deleteParameters];

export const logParameters: readonly Parameter[] = [
  query("container", "string", "Which container's log; needed when there are several."),
  query("follow", "boolean", "Whether the log is streamed as it grows."),
  query("insecureSkipTLSVerifyBackend", "boolean", "Whether the kubelet's certificate is not checked."),
  query("limitBytes", "integer", "The most bytes to return."),
  query("previous", "boolean", "Whether the log of the container's previous run is meant."),
  query("sinceSeconds", "integer", "Only lines that are younger."),
  query("stream", "string", "All, Stdout or Stderr."),
  query("tailLines", "integer", "Only so many last lines."),
  query("timestamps", "boolean", "Whether each line starts with its time."),
];

const streams: readonly Parameter[] = [
  query("container", "string", "Which container; by default the only or annotated one."),
  query("stderr", "boolean", "Whether standard error is streamed."),
  query("stdin", "boolean", "Whether standard input is streamed."),
  query("stdout", "boolean", "Whether standard output is streamed."),
  query("tty", "boolean", "Whether there is a terminal."),
];
const proxyPath = query("path", "string", "Path behind the proxy.");

export const pathBehindProxy = path("path", "Path behind the proxy.");

/** By the kind of the options. */
export const connectParameters: Readonly<Record<string, readonly Parameter[]>> = {
  __proto__: null as never,
  PodAttachOptions: streams,
  PodExecOptions: [query("command", "string", "The command, one parameter for each argument."), ...streams],
  PodPortForwardOptions: [query("ports", "integer", "Ports to forward.")],
  PodProxyOptions: [proxyPath],
  ServiceProxyOptions: [proxyPath],
  NodeProxyOptions: [proxyPath],
};
