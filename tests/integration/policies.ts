/** Admission policies with a binding each. */
import assert from "node:assert/strict";
import type { Api, Json } from "./api.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
export const configMaps = "/api/v1/namespaces/default/configmaps";
export const ofConfigMaps = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }];
export const configMap = (name: string, more: object = {}): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more });

export interface PolicyOptions {
  readonly name?: string;
  readonly rules?: Json;
  /** Of the binding. */
  readonly binding?: object;
}

/** Both are there when it returns, and so in force. */
export async function addPolicy(api: Api, kind: "Validating" | "Mutating", spec: object, options: PolicyOptions = {}): Promise<void> {
  const { name = "p.example.com", rules = ofConfigMaps, binding = {} } = options;
  const plural = `${kind.toLowerCase()}admissionpolic`;
  const policy = { metadata: { name }, spec: { matchConstraints: { resourceRules: rules }, ...spec } };
  const bound = {
    metadata: { name },
    spec: { policyName: name, ...(kind === "Validating" ? { validationActions: ["Deny"] } : {}), ...binding },
  };
  const made = await api.send("POST", `${group}/${plural}ies`, { body: policy });
  assert.equal(made.status, 201, made.text);
  const second = await api.send("POST", `${group}/${plural}ybindings`, { body: bound });
  assert.equal(second.status, 201, second.text);
}

export const removeBinding = (api: Api, kind: "validating" | "mutating", name = "p.example.com") =>
  api.send("DELETE", `${group}/${kind}admissionpolicybindings/${name}`);
