/** What expressions of admission hooks and policies know of a request and of its namespace. The object may be of any kind, so that it has no type. */
import * as cel from "@coxswain/cel";

const { boolType: bool, dynType: any, intType: int, stringType: text, timestampType: time } = cel;
const texts = cel.listOf(text);
const labels = cel.mapOf(text, text);

export const requestType = cel.objectType("kubernetes.AdmissionRequest");
export const namespaceType = cel.objectType("kubernetes.Namespace");
const groupKind = cel.objectType("kubernetes.GroupVersionKind");
const groupResource = cel.objectType("kubernetes.GroupVersionResource");

const fields: Readonly<Record<string, Readonly<Record<string, cel.CelType>>>> = {
  __proto__: null as never,
  "kubernetes.GroupVersionKind": { group: text, version: text, kind: text },
  "kubernetes.GroupVersionResource": { group: text, version: text, resource: text },
  "kubernetes.UserInfo": { username: text, uid: text, groups: texts, extra: cel.mapOf(text, texts) },
  "kubernetes.AdmissionRequest": {
    kind: groupKind,
    resource: groupResource,
    subResource: text,
    requestKind: groupKind,
    requestResource: groupResource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: cel.objectType("kubernetes.UserInfo"),
    dryRun: bool,
    options: any,
  },
  "kubernetes.Namespace": {
    metadata: cel.objectType("kubernetes.NamespaceMetadata"),
    spec: cel.objectType("kubernetes.NamespaceSpec"),
    status: cel.objectType("kubernetes.NamespaceStatus"),
  },
  "kubernetes.NamespaceMetadata": {
    name: text,
    generateName: text,
    namespace: text,
    labels,
    annotations: labels,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: time,
    generation: int,
    resourceVersion: text,
    finalizers: texts,
  },
  "kubernetes.NamespaceSpec": { finalizers: texts },
  "kubernetes.NamespaceStatus": { conditions: cel.listOf(cel.objectType("kubernetes.NamespaceCondition")), phase: text },
  "kubernetes.NamespaceCondition": { status: text, type: text, lastTransitionTime: time, message: text, reason: text },
};

export const requestTypes: cel.TypeProvider = {
  hasType: (name) => Object.hasOwn(fields, name),
  fieldType: (name, field) => own(own(fields, name), field),
};

/** `Object{spec: Object.spec{replicas: 3}}` for apply configurations, whose fields may be anything; `JSONPatch{…}` for the others. */
export const patchTypes: cel.TypeProvider = {
  hasType: (name) => providerOf(name).hasType(name),
  fieldType: (name, field) => providerOf(name).fieldType(name, field),
  create: (name, fields) => {
    const value = providerOf(name).create?.(name, fields);
    if (value === undefined) throw new cel.CelError(`unknown type: ${name}`);
    return value;
  },
};

const providerOf = (name: string): cel.TypeProvider =>
  cel.jsonPatchTypes.hasType(name) ? cel.jsonPatchTypes : cel.applyConfigurationTypes;

const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
