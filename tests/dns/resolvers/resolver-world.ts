/**
 * A cluster whose DNS server listens on port 53 of a network of the test's own, and the `/etc/resolv.conf` of a Pod there, for resolvers
 * that cannot be told another port or another file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type api, endpointSlices, services } from "@coxswain/client";
import { type ResourceRecord, recordType, responseCode } from "@coxswain/dns";
import { waitUntil } from "@coxswain/machinery/testing";
import { enterPrivateNetwork, isNetworkPrivate } from "../../kubelet/containerd/private-network.ts";
import { whyNoNamespaces } from "../../kubelet/containerd/why-no-containers.ts";
import { askUdp, type DnsUnderTest, dnsUnderTest, questionFor, startNameServer, type TestCluster } from "../dns-under-test.ts";

/** First thing in a test file. */
export const enterResolverNetwork = (): void => enterPrivateNetwork({ whyNot: whyNoNamespaces });

/** Why resolvers cannot be tried here, for tests that would. */
export const noResolverNetwork = (): string | false => (isNetworkPrivate() ? false : (whyNoNamespaces() ?? "no network of its own"));

export interface ResolverWorld extends AsyncDisposable {
  readonly under: DnsUnderTest;
  /** Where programs are built; it goes in the end. */
  readonly folder: string;
  /** Changes what resolv.conf says beside the searches of a Pod. */
  configure(settings: ResolvConf): void;
}

export interface ResolvConf {
  /** Default: the server by IPv4. */
  readonly nameservers?: readonly string[];
  /** Beside `ndots:5`. */
  readonly options?: string;
}

const searches = "default.svc.cluster.local svc.cluster.local cluster.local";
/** So many endpoints has the Service `many`. */
export const manyEndpoints = 300;

/** The server listens on 127.0.0.1 and ::1, port 53 unless another is given. */
export async function startResolverWorld({ port = 53 }: { readonly port?: number } = {}): Promise<ResolverWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "coxswain-resolvers-")), (path) => rmSync(path, { recursive: true, force: true }));
  const upstream = stack.use(await startNameServer(({ questions: [question] }) => elsewhere(question?.name ?? "", question?.type ?? 0)));
  const forward = [{ zone: ".", servers: [{ host: "127.0.0.1", port: upstream.port }] }];
  const under = stack.use(await dnsUnderTest({ forward, listen: { addresses: ["127.0.0.1", "::1"], port } }));
  await createObjects(under.cluster);
  const last = questionFor("peers-1.peers.default.svc.cluster.local.");
  await waitUntil("the last endpoints are known", async () => (await askUdp(under.dns.port, last)).answers.length === 1);
  const file = join(folder, "resolv.conf");
  const configure = ({ nameservers = ["127.0.0.1"], options = "" }: ResolvConf): void => {
    const lines = [...nameservers.map((address) => `nameserver ${address}`), `search ${searches}`, `options ndots:5 ${options}`];
    writeFileSync(file, `${lines.join("\n")}\n`);
  };
  configure({});
  // Mounts are this process's own, and end with it.
  if (isNetworkPrivate()) {
    execFileSync("mount", ["--bind", file, "/etc/resolv.conf"]);
    stack.defer(() => void execFileSync("umount", ["/etc/resolv.conf"]));
  }
  const owned = stack.move();
  return { under, folder, configure, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const record = (name: string, ...data: readonly number[]): ResourceRecord => ({
  name,
  type: recordType.A,
  class: 1,
  ttl: 60,
  data: Uint8Array.from(data),
});

/** What another name server knows; of nothing else is there anything. */
function elsewhere(name: string, type: number): { readonly rcode?: number; readonly answers?: readonly ResourceRecord[] } {
  if (name.toLowerCase() !== "www.example.org.") return { rcode: responseCode.nameError };
  return type === recordType.A ? { answers: [record(name, 192, 0, 2, 1)] } : {};
}

async function createObjects({ client }: TestCluster): Promise<void> {
  const ports = [{ name: "http", port: 80 }];
  const headless = { clusterIP: "None", ports };
  const specs: Readonly<Record<string, api.coreV1.ServiceSpec>> = {
    web: { clusterIP: "10.96.1.1", ports },
    both: headless,
    six: headless,
    many: headless,
    out: { type: "ExternalName", externalName: "www.example.org" },
    peers: headless,
  };
  for (const [name, spec] of Object.entries(specs)) await client.resource(services, "default").create({ metadata: { name }, spec });
  const slice = (of: string, suffix: string, addressType: string, endpoints: readonly api.discoveryV1.Endpoint[]) =>
    client.resource(endpointSlices, "default").create({
      metadata: { name: `${of}-${suffix}`, labels: { "kubernetes.io/service-name": of } },
      addressType,
      endpoints: [...endpoints],
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
  await slice("both", "4", "IPv4", [{ addresses: ["10.1.2.1"], hostname: "both-0" }]);
  await slice("both", "6", "IPv6", [{ addresses: ["fd00:1::1"], hostname: "both-0" }]);
  await slice("six", "6", "IPv6", [{ addresses: ["fd00:1::6"] }]);
  const many = Array.from({ length: manyEndpoints }, (_, i) => ({ addresses: [`10.1.${8 + (i >> 8)}.${i & 255}`] }));
  await slice("many", "4", "IPv4", many);
  const peers = [0, 1].map((i) => ({ addresses: [`10.1.0.${i + 1}`], hostname: `peers-${i}` }));
  await slice("peers", "4", "IPv4", peers);
}
