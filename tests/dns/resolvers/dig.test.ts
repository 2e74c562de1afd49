/** What dig and host read of answers: types and classes known and unknown, sizes, EDNS, letters, and names that are not there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "../../conformance/client-program.ts";
import { manyEndpoints, type ResolverWorld, startResolverWorld } from "./resolver-world.ts";

const skip = (await run("dig", ["-v"], { timeoutMs: hangMs })).code === 0 ? false : "dig is not installed";
let world: ResolverWorld | undefined;
before(async () => {
  if (skip === false) world = await startResolverWorld({ port: 0 });
});
after(() => world?.[Symbol.asyncDispose]());

interface Dug {
  readonly status: string;
  readonly flags: string;
  readonly edns: string;
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
  readonly bytes: number;
  readonly byTcp: boolean;
}

async function dig(text: string): Promise<Dug> {
  assert.ok(world);
  // Else each question has a number of its own among its EDNS options.
  const args = ["@127.0.0.1", "-p", String(world.under.dns.port), "+nocookie", "+tries=1", `+time=${hangMs / 1000}`, ...text.split(" ")];
  const { stdout, stderr } = await run("dig", args, { timeoutMs: hangMs });
  assert.doesNotMatch(stdout, /malformed|bad packet|extra bytes|mismatch|unexpected/i, stdout);
  const found = (pattern: RegExp): string => pattern.exec(stdout)?.[1] ?? "";
  const section = (name: string): string[] => {
    const lines = found(new RegExp(`;; ${name} SECTION:\n((?:.+\n)*)`)).split("\n");
    return lines.flatMap((line) => (line === "" ? [] : line.replaceAll(/\s+/g, " "))).sort();
  };
  const status = stdout.includes("; Transfer failed.") ? "no transfer" : found(/status: (\w+)/);
  assert.notEqual(status, "", `${stdout}\n${stderr}`);
  return {
    status,
    flags: found(/;; flags: ([\w ]+);/),
    edns: found(/; EDNS: (.+)\n/).trim(),
    answers: section("ANSWER"),
    authorities: section("AUTHORITY"),
    additionals: section("ADDITIONAL"),
    bytes: Number(found(/MSG SIZE {2}rcvd: (\d+)/)),
    byTcp: /\(TCP\)/.test(stdout),
  };
}

const zone = "cluster.local";
const below = `default.svc.${zone}`;
const soa = (name = zone) => [`${name}. 30 IN SOA ns.dns.${name}. hostmaster.${name}. SERIAL 7200 1800 86400 30`];
const web = { status: "NOERROR", flags: "qr aa rd", answers: [`web.${below}. 30 IN A 10.96.1.1`], authorities: [] };
const noData = { status: "NOERROR", flags: "qr aa rd", answers: [], authorities: soa() };
const nothing = { status: "NXDOMAIN", flags: "qr aa rd", answers: [], authorities: soa() };
const refused = { status: "REFUSED", answers: [], authorities: [] };
const edns = (more = "udp: 1232", flags = "") => ({ edns: `version: 0, flags:${flags}; ${more}` });

const peers = [0, 1].map((i) => `_http._tcp.peers.${below}. 30 IN SRV 0 50 8080 peers-${i}.peers.${below}.`);

const cases: readonly { readonly asked: string; readonly expect: Partial<Dug> }[] = [
  { asked: `web.${below} A`, expect: { ...web, ...edns() } },
  { asked: `web.${below} A +tcp`, expect: { ...web, byTcp: true } },
  { asked: `web.${below} A +noedns`, expect: { ...web, edns: "" } },
  { asked: `web.${below} A +norecurse`, expect: { ...web, flags: "qr aa" } },
  { asked: `web.${below} A +cdflag +adflag`, expect: { ...web, flags: "qr aa rd cd" } },
  { asked: `web.${below} A +dnssec`, expect: { ...web, ...edns("udp: 1232", " do") } },
  { asked: `web.${below} A +cookie=0123456789abcdef`, expect: { ...web, ...edns() } },
  { asked: `web.${below} A +nsid +padding=128 +subnet=192.0.2.0/24 +expire`, expect: { ...web, ...edns() } },
  { asked: `web.${below} A +ednsopt=65001:0badcafe`, expect: { ...web, ...edns() } },
  { asked: `web.${below} A +ednsflags=0x4000`, expect: { ...web, ...edns() } },
  { asked: `web.${below} A +edns=1 +noednsneg`, expect: { status: "BADVERS", answers: [], ...edns() } },
  { asked: `web.${below} AAAA`, expect: noData },
  { asked: `both.${below} A`, expect: { status: "NOERROR", answers: [`both.${below}. 30 IN A 10.1.2.1`] } },
  { asked: `both.${below} AAAA`, expect: { status: "NOERROR", answers: [`both.${below}. 30 IN AAAA fd00:1::1`] } },
  { asked: `both-0.both.${below} AAAA`, expect: { answers: [`both-0.both.${below}. 30 IN AAAA fd00:1::1`] } },
  { asked: `six.${below} A`, expect: noData },
  {
    asked: `_http._tcp.web.${below} SRV`,
    expect: { answers: [`_http._tcp.web.${below}. 30 IN SRV 0 100 80 web.${below}.`], additionals: web.answers },
  },
  {
    asked: `_http._tcp.peers.${below} SRV`,
    expect: { answers: peers, additionals: [0, 1].map((i) => `peers-${i}.peers.${below}. 30 IN A 10.1.0.${i + 1}`) },
  },
  {
    asked: `_http._tcp.both.${below} SRV`,
    expect: {
      answers: [`_http._tcp.both.${below}. 30 IN SRV 0 50 8080 both-0.both.${below}.`],
      additionals: [`both-0.both.${below}. 30 IN A 10.1.2.1`, `both-0.both.${below}. 30 IN AAAA fd00:1::1`],
    },
  },
  { asked: "-x 10.96.1.1", expect: { status: "NOERROR", answers: [`1.1.96.10.in-addr.arpa. 30 IN PTR web.${below}.`] } },
  {
    asked: "-x fd00:1::1",
    expect: {
      status: "NOERROR",
      answers: [`1.${"0.".repeat(23)}1.0.0.0.0.0.d.f.ip6.arpa. 30 IN PTR both-0.both.${below}.`],
    },
  },
  { asked: "-x 10.9.9.9 +noadflag", expect: { status: "NXDOMAIN", flags: "qr rd ra", answers: [] } },
  { asked: `out.${below} CNAME`, expect: { status: "NOERROR", answers: [`out.${below}. 30 IN CNAME www.example.org.`] } },
  {
    asked: `out.${below} A`,
    expect: { status: "NOERROR", answers: [`out.${below}. 30 IN CNAME www.example.org.`, "www.example.org. 60 IN A 192.0.2.1"] },
  },
  { asked: `dns-version.${zone} TXT`, expect: { status: "NOERROR", answers: [`dns-version.${zone}. 30 IN TXT "1.1.0"`] } },
  { asked: `${zone} SOA`, expect: { status: "NOERROR", answers: soa() } },
  { asked: `${zone} NS`, expect: { status: "NOERROR", answers: [`${zone}. 30 IN NS ns.dns.${zone}.`] } },
  ...["ANY", "MX", "TXT", "HTTPS", "SVCB", "CAA", "NAPTR", "DS", "DNSKEY", "RRSIG", "NSEC", "TYPE65280"].map((type) => ({
    asked: `web.${below} ${type}`,
    expect: noData,
  })),
  { asked: `web.${below} AXFR`, expect: { status: "no transfer" } },
  { asked: "version.bind TXT -c CH", expect: refused },
  { asked: `web.${below} A -c CH`, expect: refused },
  { asked: `web.${below} A -c CLASS4242`, expect: refused },
  ...[1, 2, 3, 4, 6, 15].map((opcode) => ({ asked: `web.${below} A +opcode=${opcode}`, expect: { status: "NOTIMP", answers: [] } })),
  {
    asked: `WeB.dEfAuLt.SvC.cLuStEr.LoCaL A`,
    expect: { ...web, answers: ["WeB.dEfAuLt.SvC.cLuStEr.LoCaL. 30 IN A 10.96.1.1"] },
  },
  ...[`missing.${below}`, `*.${below}`, `web.*.svc.${zone}`, `a.b.c.d.e.f.web.${below}`, `_.web.${below}`, `web.missing.svc.${zone}`].map(
    (name) => ({ asked: `${name} A`, expect: nothing }),
  ),
  { asked: `${"a".repeat(63)}.${below} A`, expect: nothing },
  { asked: `${"a.".repeat(115)}${zone} A`, expect: nothing },
  { asked: `a\\.b.${below} A`, expect: nothing },
  { asked: `a\\000b.${below} A`, expect: nothing },
];
for (const { asked, expect } of cases)
  test(`dig ${asked}`, { skip, timeout: hangMs }, async () => {
    const found = await dig(asked);
    const authorities = found.authorities.map((line) => line.replace(/ \d+ 7200 /, " SERIAL 7200 "));
    const answers = found.answers.map((line) => line.replace(/ \d+ 7200 /, " SERIAL 7200 "));
    const seen: Dug = { ...found, authorities, answers };
    assert.deepEqual(Object.fromEntries(Object.keys(expect).map((key) => [key, seen[key as keyof Dug]])), expect);
  });

const sizes = [
  { how: "+noedns", bound: 512 },
  { how: "+bufsize=512", bound: 512 },
  { how: "+bufsize=1232", bound: 1232 },
  { how: "+bufsize=4096", bound: 4096 },
  { how: "+bufsize=16384", bound: 4096 },
];
for (const { how, bound } of sizes)
  for (const type of ["A", "SRV"])
    test(`dig ${type} of ${manyEndpoints} endpoints ${how} has an answer of ${bound} bytes at most, and all by TCP`, {
      skip,
      timeout: hangMs,
    }, async () => {
      const name = type === "A" ? `many.${below}` : `_http._tcp.many.${below}`;
      const short = await dig(`${name} ${type} ${how} +ignore`);
      assert.deepEqual([short.flags, short.byTcp], ["qr aa tc rd", false]);
      assert.ok(short.bytes <= bound && short.bytes > bound - 100, `${short.bytes} bytes`);
      assert.ok(short.answers.length > 0);
      const whole = await dig(`${name} ${type} ${how}`);
      assert.deepEqual([whole.flags, whole.byTcp, whole.answers.length], ["qr aa rd", true, manyEndpoints]);
    });

const hostCases = [
  { args: [`web.${below}`], says: `web.${below} has address 10.96.1.1` },
  { args: [`both.${below}`], says: `both.${below} has IPv6 address fd00:1::1` },
  { args: [`out.${below}`], says: `out.${below} is an alias for www.example.org.` },
  { args: ["10.96.1.1"], says: `1.1.96.10.in-addr.arpa domain name pointer web.${below}.` },
  { args: ["-t", "SRV", `_http._tcp.web.${below}`], says: `_http._tcp.web.${below} has SRV record 0 100 80 web.${below}.` },
  { args: ["-t", "TXT", `dns-version.${zone}`], says: `dns-version.${zone} descriptive text "1.1.0"` },
  { args: [`missing.${below}`], says: `Host missing.${below} not found: 3(NXDOMAIN)` },
];
for (const { args, says } of hostCases)
  test(`host ${args.join(" ")}`, { skip, timeout: hangMs }, async () => {
    assert.ok(world);
    const { stdout } = await run("host", ["-p", String(world.under.dns.port), ...args, "127.0.0.1"], { timeoutMs: hangMs });
    assert.ok(stdout.split("\n").includes(says), stdout);
  });
