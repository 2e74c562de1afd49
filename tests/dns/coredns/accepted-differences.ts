/** Where CoreDNS's answers are not those that we give, and why. */
import type { Answer } from "./answer-text.ts";

type Difference = Partial<Answer> & { readonly why: string };

const exists: Difference = { why: "names below it exist, so it exists itself (RFC 8020), whatever type is asked for", rcode: 0 };
const refused = { flags: "rd", rcode: 5, answers: [] };
const web = { name: "web.shop.svc.cluster.local.", type: "A" };

const differences: readonly (readonly [asked: object, difference: Difference])[] = [
  ...[
    "cluster.local.",
    "svc.cluster.local.",
    "pod.cluster.local.",
    "shop.svc.cluster.local.",
    "empty.svc.cluster.local.",
    "shop.pod.cluster.local.",
  ].map((name) => [{ name, type: "TXT" }, exists] as const),
  [
    { name: "in-addr.arpa.", type: "TXT" },
    { ...exists, flags: "aa rd", authorities: ["in-addr.arpa. 30 1 SOA ns.dns.in-addr.arpa. hostmaster.in-addr.arpa. 7200 1800 86400 30"] },
  ],
  [
    { name: "1.0.96.10.IN-ADDR.arpa.", type: "PTR" },
    {
      why: "the letters are those of this question and not of the first that was remembered",
      answers: ["1.0.96.10.IN-ADDR.arpa. 30 1 PTR kubernetes.default.svc.cluster.local."],
    },
  ],
  [
    { ...web, udpSize: 1232, ednsVersion: 1 },
    { why: "a size of 0 is none", edns: "1232 0 false" },
  ],
  [
    { ...web, class: 3 },
    { why: "records of the internet are of no other class", ...refused },
  ],
  [
    { ...web, class: 255 },
    { why: "records of the internet are of no other class", ...refused },
  ],
  [
    { ...web, opcode: 4 },
    { why: "a NOTIFY is no question", flags: "rd", rcode: 4, answers: [] },
  ],
];

export const acceptedDifferences: ReadonlyMap<string, Difference> = new Map(
  differences.map(([asked, difference]) => [JSON.stringify(asked), difference]),
);
