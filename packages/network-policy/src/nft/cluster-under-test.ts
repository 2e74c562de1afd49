/** Clusters made by chance, and whether their policies let a connection through, told from the objects alone and in the simplest way. */
import type { api } from "@coxswain/client";
import fc from "fast-check";
import type { Packet } from "./kernel-under-test.ts";

type Policy = api.networkingV1.NetworkPolicy;
type Peer = api.networkingV1.NetworkPolicyPeer;
type Port = api.networkingV1.NetworkPolicyPort;
type Selector = api.metaV1.LabelSelector;
type Pod = api.coreV1.Pod;

export interface Cluster {
  readonly namespaces: readonly api.coreV1.Namespace[];
  readonly pods: readonly Pod[];
  readonly policies: readonly Policy[];
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const labelKeys = ["app", "tier"];
const labelValues = ["a", "b", ""];
const labels = fc.dictionary(fc.constantFrom(...labelKeys), fc.constantFrom(...labelValues), { maxKeys: 2 });
const key = fc.constantFrom(...labelKeys);
const requirement = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.uniqueArray(fc.constantFrom(...labelValues), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
const selector: fc.Arbitrary<Selector> = fc.oneof(
  fc.constant({}),
  fc.record({ matchLabels: labels }),
  fc.record({ matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) }),
);
const blocks = [
  { cidr: "0.0.0.0/0" },
  { cidr: "10.244.0.0/16", except: ["10.244.1.0/31", "10.244.1.4/30"] },
  { cidr: "10.244.1.2/32" },
  { cidr: "192.0.2.0/24", except: ["192.0.2.0/24"] },
  { cidr: "::/0", except: ["fd00::1/128"] },
  { cidr: "fd00::/126" },
  { cidr: "::ffff:10.244.1.0/120" },
];
const peer: fc.Arbitrary<Peer> = fc.oneof(
  fc.constantFrom(...blocks).map((ipBlock) => ({ ipBlock })),
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ podSelector: selector, namespaceSelector: selector }),
);
const protocols = ["TCP", "UDP", "SCTP"];
const protocol = maybe(fc.constantFrom(...protocols));
const portNames = ["http", "dns"];
const port = fc.oneof(
  fc.record({ protocol }),
  fc.record({ protocol, port: fc.constantFrom<string | number>(80, 81, 8080, ...portNames) }),
  fc.record({ protocol, port: fc.constantFrom(78, 80), endPort: fc.constantFrom(80, 82) }),
) as fc.Arbitrary<Port>;
const rule = <K extends string>(side: K) =>
  fc.record({ [side]: fc.array(peer, { maxLength: 2 }), ports: fc.array(port, { maxLength: 3 }) }, { requiredKeys: [] });
const policy: fc.Arbitrary<Policy> = fc
  .record({
    namespace: fc.constantFrom("x", "y"),
    podSelector: selector,
    policyTypes: maybe(fc.subarray(["Ingress", "Egress"], { minLength: 1 })),
    ingress: maybe(fc.array(rule("from"), { maxLength: 2 })),
    egress: maybe(fc.array(rule("to"), { maxLength: 2 })),
  })
  .map(({ namespace, ...spec }) => ({ metadata: { namespace }, spec }) as Policy);
const containerPort = fc.record({
  name: fc.constantFrom(...portNames),
  protocol: fc.constantFrom(...protocols),
  containerPort: fc.constantFrom(80, 8080),
});
const pod = fc.record({
  namespace: fc.constantFrom("x", "y"),
  labels,
  nodeName: fc.constantFrom("n1", "n2"),
  hostNetwork: fc.constantFrom(false, false, false, true),
  phase: fc.constantFrom("Running", "Running", "Pending", "Succeeded"),
  ports: fc.array(containerPort, { maxLength: 2 }),
  hasIpv6: fc.boolean(),
});

/** Addresses are by number: what a Pod's is another's is not. */
export const clusters: fc.Arbitrary<Cluster> = fc.record({
  namespaces: fc
    .tuple(labels, labels)
    .map((all) => all.map((labels, at) => ({ metadata: { name: at === 0 ? "x" : "y", labels } }) as api.coreV1.Namespace)),
  pods: fc.array(pod, { minLength: 1, maxLength: 5 }).map((all) => all.map(podOf)),
  policies: fc.array(policy, { maxLength: 4 }),
});

function podOf(
  { namespace, labels, nodeName, hostNetwork, phase, ports, hasIpv6 }: typeof pod extends fc.Arbitrary<infer T> ? T : never,
  at: number,
): Pod {
  const podIPs = [{ ip: `10.244.1.${at}` }, ...(hasIpv6 ? [{ ip: `fd00::${at}` }] : [])];
  return {
    metadata: { namespace, name: `p${at}`, uid: `u${at}`, labels },
    spec: { nodeName, hostNetwork, containers: [{ name: "c", ports }] },
    status: { phase, podIPs, podIP: podIPs[0]?.ip },
  } as Pod;
}

/** From and to Pods and others. */
export const packets: fc.Arbitrary<Packet> = fc.constantFrom(4, 6).chain((family) => {
  const address =
    family === 4
      ? fc.constantFrom(...[0, 1, 2, 3, 4, 5].map((at) => `10.244.1.${at}`), "192.0.2.7")
      : fc.constantFrom(...[0, 1, 2, 3, 4].map((at) => (at === 0 ? "fd00::" : `fd00::${at}`)), "2001:db8::7");
  return fc.record({
    from: address,
    to: address,
    protocol: fc.constantFrom("tcp", "udp", "sctp"),
    port: fc.constantFrom(79, 80, 82, 8080),
  });
});

/** At node n1, which is asked about what its own Pods send and get. */
export function mayPass(cluster: Cluster, packet: Packet): boolean {
  if (packet.from === packet.to) return true;
  return (["Egress", "Ingress"] as const).every((direction) => {
    const own = podAt(cluster, direction === "Egress" ? packet.from : packet.to);
    if (own === undefined || own.spec?.nodeName !== "n1") return true;
    const about = cluster.policies.filter((one) => isAbout(one, own) && typesOf(one).includes(direction));
    return about.length === 0 || about.some((one) => allows(cluster, one, direction, packet));
  });
}

const podAt = ({ pods }: Cluster, address: string): Pod | undefined =>
  pods.find(
    ({ spec, status }) =>
      spec?.hostNetwork !== true && status?.phase !== "Succeeded" && status?.podIPs?.some(({ ip }) => sameAddress(ip, address)),
  );

const sameAddress = (a: string, b: string): boolean => a.replace(/::0$/, "::") === b;

const isAbout = ({ metadata, spec }: Policy, pod: Pod): boolean =>
  metadata?.namespace === pod.metadata?.namespace && selects(spec?.podSelector ?? {}, pod.metadata?.labels ?? {});

const typesOf = ({ spec }: Policy): readonly string[] =>
  spec?.policyTypes ?? (spec?.egress === undefined || spec.egress.length === 0 ? ["Ingress"] : ["Ingress", "Egress"]);

function allows(cluster: Cluster, { metadata, spec }: Policy, direction: "Ingress" | "Egress", packet: Packet): boolean {
  const other = direction === "Ingress" ? packet.from : packet.to;
  const rules =
    direction === "Ingress"
      ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
  const destination = podAt(cluster, packet.to);
  return rules.some(
    ({ peers = [], ports = [] }) =>
      (peers.length === 0 || peers.some((one) => isPeer(cluster, metadata?.namespace ?? "", one, other))) &&
      (ports.length === 0 || ports.some((one) => isPort(one, packet, destination))),
  );
}

function isPeer(cluster: Cluster, namespace: string, { ipBlock, podSelector, namespaceSelector }: Peer, address: string): boolean {
  if (ipBlock !== undefined) return inBlock(address, ipBlock.cidr) && !(ipBlock.except ?? []).some((hole) => inBlock(address, hole));
  const pod = podAt(cluster, address);
  if (pod === undefined) return false;
  const home = cluster.namespaces.find(({ metadata }) => metadata?.name === pod.metadata?.namespace);
  const inNamespace =
    namespaceSelector === undefined ? pod.metadata?.namespace === namespace : selects(namespaceSelector, home?.metadata?.labels ?? {});
  return inNamespace && selects(podSelector ?? {}, pod.metadata?.labels ?? {});
}

function isPort({ protocol = "TCP", port, endPort }: Port, packet: Packet, destination: Pod | undefined): boolean {
  if (protocol.toLowerCase() !== packet.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return port <= packet.port && packet.port <= (endPort ?? port);
  const ports = destination?.spec?.containers.flatMap(({ ports = [] }) => ports) ?? [];
  return ports.some((one) => one.name === port && one.protocol === protocol && one.containerPort === packet.port);
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "In") return value !== undefined && values.includes(value);
      if (operator === "NotIn") return value === undefined || !values.includes(value);
      return (operator === "Exists") === (value !== undefined);
    })
  );
}

/** Bit by bit. */
function inBlock(address: string, cidr: string): boolean {
  const [network = "", length = ""] = cidr.split("/");
  const mapped = network.startsWith("::ffff:");
  const bits = bitsOf(mapped ? network.slice("::ffff:".length) : network);
  const prefix = bits.slice(0, Number(length) - (mapped ? 96 : 0));
  const own = bitsOf(address);
  return own.length === bits.length && own.startsWith(prefix);
}

function bitsOf(address: string): string {
  if (!address.includes(":"))
    return address
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("");
  const [head = [], tail = []] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}
