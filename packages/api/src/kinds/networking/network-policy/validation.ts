import { type Cidr, cidrContains, field, parseCidr, validatePortName, validatePortNumber } from "@coxswain/machinery";
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "@coxswain/types/networking-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, oneOf } from "../../../validation/checks.ts";
import { validateCidr } from "../../../validation/ip.ts";
import { validateLabelSelector } from "../../../validation/label-selector.ts";

export const networkPolicyValidation: Validation<NetworkPolicy> = {
  validate: ({ spec = {} }) => {
    const out: Errors = [];
    validateLabelSelector(out, "spec.podSelector", spec.podSelector, "selector values");
    for (const { path, ports, peers, peersField } of rulesOf(spec)) {
      for (const [i, port] of ports.entries()) validatePort(out, `${path}.ports[${i}]`, port);
      for (const [i, peer] of peers.entries()) validatePeer(out, `${path}.${peersField}[${i}]`, peer);
    }
    validatePolicyTypes(out, "spec.policyTypes", spec.policyTypes ?? []);
    return out;
  },
};

export interface Rule {
  readonly path: string;
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly NetworkPolicyPeer[];
  readonly peersField: "from" | "to";
}

export function* rulesOf({ ingress = [], egress = [] }: Readonly<NetworkPolicySpec>): Generator<Rule> {
  for (const [i, { ports = [], from = [] }] of ingress.entries())
    yield { path: `spec.ingress[${i}]`, ports, peers: from, peersField: "from" };
  for (const [i, { ports = [], to = [] }] of egress.entries()) yield { path: `spec.egress[${i}]`, ports, peers: to, peersField: "to" };
}

function validatePort(out: Errors, path: string, { protocol, port, endPort }: Readonly<NetworkPolicyPort>): void {
  oneOf(out, `${path}.protocol`, protocol, ["TCP", "UDP", "SCTP"]);
  if (typeof port === "number") {
    addInvalid(out, `${path}.port`, port, validatePortNumber(port));
    if (endPort === undefined) return;
    if (endPort < port) out.push(field.invalid(`${path}.endPort`, port, "must be greater than or equal to `port`"));
    addInvalid(out, `${path}.endPort`, endPort, validatePortNumber(endPort));
    return;
  }
  if (endPort !== undefined) {
    const why = `may not be specified when \`port\` is ${port === undefined ? "not specified" : "non-numeric"}`;
    out.push(field.invalid(`${path}.endPort`, endPort, why));
  }
  if (port !== undefined) addInvalid(out, `${path}.port`, port, validatePortName(port));
}

function validatePeer(out: Errors, path: string, { podSelector, namespaceSelector, ipBlock }: Readonly<NetworkPolicyPeer>): void {
  validateLabelSelector(out, `${path}.podSelector`, podSelector, "selector values");
  validateLabelSelector(out, `${path}.namespaceSelector`, namespaceSelector, "selector values");
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock !== undefined) {
    validateIpBlock(out, `${path}.ipBlock`, ipBlock);
    if (selects) out.push(field.forbidden(path, "may not specify both ipBlock and another peer"));
  } else if (!selects) out.push(field.required(path, "must specify a peer"));
}

function validateIpBlock(out: Errors, path: string, { cidr, except = [] }: Readonly<IPBlock>): void {
  if (!cidr) {
    out.push(field.required(`${path}.cidr`));
    return;
  }
  validateCidr(out, `${path}.cidr`, cidr);
  const block = parseCidr(cidr);
  if (block === undefined) return;
  for (const [i, text] of except.entries()) {
    validateCidr(out, `${path}.except[${i}]`, text);
    const hole = parseCidr(text);
    if (hole !== undefined && !isStrictSubset(hole, block)) {
      out.push(field.invalid(`${path}.except[${i}]`, text, "must be a strict subset of `cidr`"));
    }
  }
}

const isStrictSubset = (hole: Cidr, block: Cidr): boolean => cidrContains(block, hole.address) && block.prefixLength < hole.prefixLength;

function validatePolicyTypes(out: Errors, path: string, types: readonly string[]): void {
  if (types.length > 2) out.push(field.invalid(path, types, "may not specify more than two policyTypes"));
  else for (const [i, type] of types.entries()) oneOf(out, `${path}[${i}]`, type, ["Ingress", "Egress"]);
}
