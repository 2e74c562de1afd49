/** What CoreDNS was asked, and ours is. */
export interface Asked {
  readonly name: string;
  readonly type: string;
  /** CoreDNS's name for how it answers the names of Pods. Default: insecure. */
  readonly pods?: "insecure" | "verified" | "disabled";
  readonly protocol?: "udp" | "tcp";
  /** The size of UDP messages; none: no OPT record. */
  readonly udpSize?: number;
  readonly dnssecOk?: boolean;
  readonly ednsVersion?: number;
  readonly recursionDesired?: boolean;
  readonly checkingDisabled?: boolean;
  readonly class?: number;
  readonly opcode?: number;
}

const zone = "cluster.local.";
const of = (types: string, names: readonly string[], more: Partial<Asked> = {}): Asked[] =>
  names.flatMap((name) => types.split(" ").map((type) => ({ name, type, ...more })));
const below = (...names: string[]): string[] => names.map((name) => `${name}.${zone}`);

const serviceNames = below(
  "kubernetes.default.svc",
  "web.shop.svc",
  "dual.shop.svc",
  "six.shop.svc",
  "unnamed.shop.svc",
  "no-endpoints.shop.svc",
  "node-port.shop.svc",
  "svc.svc.svc",
);

const headlessNames = below(
  "peers.shop.svc",
  "peers-0.peers.shop.svc",
  "peers-2.peers.shop.svc",
  "peers-9.peers.shop.svc",
  "headless.shop.svc",
  "10-1-2-1.headless.shop.svc",
  "10-1-2-2.headless.shop.svc",
  "10-1-2-3.headless.shop.svc",
  "named.headless.shop.svc",
  "headless-empty.shop.svc",
  "headless-portless.shop.svc",
  "headless-dual.shop.svc",
  "both.headless-dual.shop.svc",
  "fd00-1--0.headless-dual.shop.svc",
  "10-1-0-1.web.shop.svc",
  "10-1-0-2.web.shop.svc",
);

const portNames = below(
  "_http._tcp.web.shop.svc",
  "_http._udp.web.shop.svc",
  "_http-udp._udp.web.shop.svc",
  "_nothing._tcp.web.shop.svc",
  "_http._tcp.dual.shop.svc",
  "_http._tcp.peers.shop.svc",
  "_metrics._tcp.headless.shop.svc",
  "_http._tcp.headless-dual.shop.svc",
  "_http._tcp.headless-portless.shop.svc",
  "_http._tcp.external.shop.svc",
  "http.tcp.web.shop.svc",
  "_tcp.web.shop.svc",
  "a._http._tcp.web.shop.svc",
);

const externalNames = below(
  "external.shop.svc",
  "external-dot.shop.svc",
  "external-missing.shop.svc",
  "external-inside.shop.svc",
  "external-nowhere.shop.svc",
  "external-chain.shop.svc",
  "external-self.shop.svc",
  "external-ring-a.shop.svc",
  "x.external.shop.svc",
);

const betweenNames = [
  zone,
  ...below(
    "svc",
    "pod",
    "shop.svc",
    "empty.svc",
    "missing.svc",
    "shop.pod",
    "missing.pod",
    "missing.shop.svc",
    "web.missing.svc",
    "other",
    "web.shop",
    "*.shop.svc",
    "web.*.svc",
    "any.shop.svc",
  ),
];

const podNames = below(
  "10-1-0-1.shop.pod",
  "10-9-9-9.shop.pod",
  "fd00-1--1.shop.pod",
  "fd00-1--.shop.pod",
  "1-2-3.shop.pod",
  "256-1-1-1.shop.pod",
  "web-1.shop.pod",
  "10-1-0-1.missing.pod",
  "10-1-0-1.empty.pod",
  "x.10-1-0-1.shop.pod",
  "a.b.c.10-1-0-1.shop.pod",
);

const reverse6 = (digits: string): string => `${[...digits].toReversed().join(".")}.ip6.arpa.`;
const reverseNames = [
  "1.0.96.10.in-addr.arpa.",
  "1.1.96.10.in-addr.arpa.",
  "2.1.96.10.in-addr.arpa.",
  "1.0.1.10.in-addr.arpa.",
  "2.0.1.10.in-addr.arpa.",
  "1.1.1.10.in-addr.arpa.",
  "1.2.1.10.in-addr.arpa.",
  "1.4.1.10.in-addr.arpa.",
  "9.9.9.10.in-addr.arpa.",
  "96.10.in-addr.arpa.",
  "in-addr.arpa.",
  reverse6("fd000096000000000000000000000012"),
  reverse6("fd000001000000000000000000000001"),
  reverse6("fd000001000000000000000000000000"),
  reverse6("fd000001000000000000000000000009"),
  "8.b.d.0.1.0.0.2.ip6.arpa.",
];

export const questions: readonly Asked[] = [
  ...of("A AAAA SRV", serviceNames),
  ...of("A AAAA SRV", headlessNames),
  ...of("A AAAA SRV", portNames),
  ...of("A AAAA CNAME SRV TXT", externalNames),
  ...of("A SRV", betweenNames),
  ...of("TXT", [...betweenNames.slice(0, 8), `dns-version.${zone}`, `web.shop.svc.${zone}`]),
  ...of("A CNAME MX PTR", [`dns-version.${zone}`, `web.shop.svc.${zone}`, `missing.shop.svc.${zone}`, `external.shop.svc.${zone}`]),
  ...of("A AAAA SRV", podNames),
  ...of("A AAAA", podNames, { pods: "verified" }),
  ...of("A", podNames, { pods: "disabled" }),
  ...of("PTR", reverseNames),
  ...of("A TXT SOA NS", ["1.0.96.10.in-addr.arpa.", "in-addr.arpa."]),
  ...of("SOA", [zone, ...below("web.shop.svc", "missing.shop.svc")]),
  ...of("NS", below("web.shop.svc", "missing.shop.svc")),
  ...of("ANY HTTPS HINFO NAPTR", below("web.shop.svc", "missing.shop.svc", "external.shop.svc", "shop.svc")),
  ...of("AXFR IXFR", [zone, `web.shop.svc.${zone}`], { protocol: "tcp" }),
  ...of("A", ["WEB.Shop.SVC.Cluster.Local.", "missing.SHOP.svc.CLUSTER.local.", "External-Inside.shop.svc.cluster.LOCAL."]),
  ...of("SRV", ["_HTTP._TCP.Peers.Shop.SVC.Cluster.Local.", "_Http._Tcp.Web.shop.svc.Cluster.LOCAL."]),
  ...of("PTR", ["1.0.96.10.IN-ADDR.arpa."]),
  ...of("TXT", ["DNS-Version.cluster.local."]),
  ...of("A", [`web.shop.svc.${zone}`], { recursionDesired: false }),
  ...of("A", [`web.shop.svc.${zone}`, `missing.shop.svc.${zone}`], { udpSize: 1232 }),
  ...of("A", [`web.shop.svc.${zone}`], { udpSize: 100 }),
  ...of("A", [`web.shop.svc.${zone}`], { udpSize: 1232, dnssecOk: true }),
  ...of("A", [`web.shop.svc.${zone}`], { checkingDisabled: true }),
  ...of("A", [`web.shop.svc.${zone}`], { udpSize: 1232, ednsVersion: 1 }),
  ...of("A", [`web.shop.svc.${zone}`], { class: 3 }),
  ...of("A", [`web.shop.svc.${zone}`], { class: 255 }),
  ...[1, 2, 4, 5, 6, 15].flatMap((opcode) => of("A", [`web.shop.svc.${zone}`], { opcode })),
  ...of("A", [`many.shop.svc.${zone}`], { protocol: "tcp" }),
  ...of("A", [`many.shop.svc.${zone}`], { udpSize: 4096 }),
  ...of("A AAAA TXT", ["www.example.org.", "missing.example.org.", "."]),
];
