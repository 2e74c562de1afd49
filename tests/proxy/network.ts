/**
 * A node in network namespaces of the test's own: two of its Pods, one of another node, and a machine outside of the cluster. All
 * packets between them pass through the node, as they do where Pods have point-to-point links.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { binary } from "../kubelet/containerd/why-no-containers.ts";

const execute = promisify(execFile);

/** Who is there, by name; all but the node and the outside are Pods. */
export const places = {
  a: { ipv4: "10.244.1.2", ipv6: "fd00:10:244:1::2" },
  b: { ipv4: "10.244.1.3", ipv6: "fd00:10:244:1::3" },
  remote: { ipv4: "10.244.2.2", ipv6: "fd00:10:244:2::2" },
  outside: { ipv4: "192.168.77.2", ipv6: "fd00:77::2" },
} as const;

/** The node's own addresses. */
export const nodeAddress = { ipv4: "192.168.77.1", ipv6: "fd00:77::1" } as const;
/** As Services of these tests have them. */
export const serviceCidrs = ["10.96.0.0/16", "fd00:10:96::/112"] as const;
export const clusterCidrs = ["10.244.0.0/16", "fd00:10:244::/48"] as const;

export type ProbePlace = keyof typeof places | "node";

const gateway = "169.254.1.1";
const gateway6 = "fe80::1";

/** Undefined: this machine can. */
export function whyNoNetwork(): string | undefined {
  if (process.platform !== "linux") return "network namespaces need Linux";
  if (process.getuid?.() !== 0) return "network namespaces need root";
  const missing = ["ip", "nft", "sysctl"].filter((name) => binary(name) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  const { status, stderr } = spawnSync("unshare", ["--net", "nft", "list", "ruleset"], { encoding: "utf8" });
  return status === 0 ? undefined : `no rules in a namespace of one's own: ${stderr.trim()}`;
}

/** What a connection came to: which Pods answered, from whom they thought it was, or that it came to nothing. */
export interface ProbeResult {
  readonly answers: readonly string[];
  readonly sources: readonly string[];
  readonly outcome: "answered" | "refused" | "dropped" | "mixed";
}

/** Where to connect to. */
export interface ProbeTarget {
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
}

/** How targets are tried. */
export interface ProbeOptions {
  /** Of each target; the default is enough to meet every one of three endpoints. */
  readonly attempts?: number;
  /** How many targets at once. */
  readonly concurrency?: number;
}

export interface Network extends AsyncDisposable {
  /** The words that run a program in the place's namespace. */
  inside(place: ProbePlace): readonly string[];
  probe(place: ProbePlace, targets: readonly ProbeTarget[], options?: ProbeOptions): Promise<readonly ProbeResult[]>;
}

/** @param name is part of the names of the namespaces */
export async function startNetwork(name: string): Promise<Network> {
  const namespace = (place: ProbePlace): string => `cxp-${process.pid}-${name}-${place}`;
  const inside = (place: ProbePlace): readonly string[] => ["ip", "netns", "exec", namespace(place)];
  const all = ["node", ...(Object.keys(places) as (keyof typeof places)[])] as const;
  const servers: ChildProcess[] = [];
  const end = async (): Promise<void> => {
    for (const server of servers) await stop(server);
    for (const place of all) await ip(["netns", "del", namespace(place)]).catch(() => undefined);
  };
  try {
    for (const place of all) {
      await ip(["netns", "add", namespace(place)]);
      await ip(["-n", namespace(place), "link", "set", "lo", "up"]);
    }
    const forwarding = ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.accept_dad=0"];
    // Refusals are ICMP, of which the kernel sends only some each second, and redirects would count as such.
    const icmp = [
      "net.ipv4.icmp_ratelimit=0",
      "net.ipv6.icmp.ratelimit=0",
      "net.ipv4.conf.all.send_redirects=0",
      "net.ipv4.conf.default.send_redirects=0",
    ];
    await run([...inside("node"), "sysctl", "-qw", ...forwarding, ...icmp]);
    for (const place of ["a", "b", "remote"] as const) await linkPod(namespace("node"), namespace(place), place);
    await linkOutside(namespace("node"), namespace("outside"));
    for (const place of ["a", "b", "remote"] as const)
      servers.push(await startServer([...inside(place), process.execPath, script("pod-server.mjs"), place]));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    inside,
    probe: async (place, targets, { attempts = 40, concurrency = 64 } = {}) => {
      const child = spawn("ip", [...inside(place).slice(1), process.execPath, script("probe.mjs"), String(attempts), String(concurrency)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(JSON.stringify(targets));
      const chunks: Buffer[] = [];
      for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString()) as ProbeResult[];
    },
    [Symbol.asyncDispose]: end,
  };
}

const script = (name: string): string => join(import.meta.dirname, name);

const ip = (args: readonly string[]) => run(["ip", ...args]);

const run = ([program = "", ...args]: readonly string[]) => execute(program, args);

/** A Pod has one address and reaches everything else through the node. */
async function linkPod(node: string, pod: string, place: "a" | "b" | "remote"): Promise<void> {
  const { ipv4, ipv6 } = places[place];
  const link = `pod-${place}`;
  await ip(["link", "add", link, "netns", node, "type", "veth", "peer", "name", "eth0", "netns", pod]);
  const inNode = (...args: string[]) => ip(["-n", node, ...args]);
  const inPod = (...args: string[]) => ip(["-n", pod, ...args]);
  await inNode("addr", "add", `${gateway}/32`, "dev", link);
  await inNode("addr", "add", `${gateway6}/64`, "dev", link, "nodad");
  await inNode("link", "set", link, "up");
  await inPod("addr", "add", `${ipv4}/32`, "dev", "eth0");
  await inPod("addr", "add", `${ipv6}/128`, "dev", "eth0", "nodad");
  await inPod("link", "set", "eth0", "up");
  await inPod("route", "add", gateway, "dev", "eth0", "scope", "link");
  await inPod("route", "add", "default", "via", gateway, "dev", "eth0");
  await inPod("-6", "route", "add", "default", "via", gateway6, "dev", "eth0");
  // With this source, connections of the node itself have the address that others know it by.
  await inNode("route", "add", `${ipv4}/32`, "dev", link, "src", gateway);
  await inNode("-6", "route", "add", `${ipv6}/128`, "dev", link);
}

/** It reaches everything through the node, also the addresses of Services. */
async function linkOutside(node: string, outside: string): Promise<void> {
  await ip(["link", "add", "uplink", "netns", node, "type", "veth", "peer", "name", "eth0", "netns", outside]);
  for (const [namespace, link, address] of [
    [node, "uplink", nodeAddress],
    [outside, "eth0", places.outside],
  ] as const) {
    await ip(["-n", namespace, "addr", "add", `${address.ipv4}/24`, "dev", link]);
    await ip(["-n", namespace, "addr", "add", `${address.ipv6}/64`, "dev", link, "nodad"]);
    await ip(["-n", namespace, "link", "set", link, "up"]);
  }
  await ip(["-n", outside, "route", "add", "default", "via", nodeAddress.ipv4]);
  await ip(["-n", outside, "-6", "route", "add", "default", "via", nodeAddress.ipv6]);
  // A node has somewhere to send what is for nobody, and addresses of Services must be routed before they are translated.
  await ip(["-n", node, "route", "add", "default", "via", places.outside.ipv4, "src", nodeAddress.ipv4]);
  await ip(["-n", node, "-6", "route", "add", "default", "via", places.outside.ipv6, "src", nodeAddress.ipv6]);
}

/** Ready when it has printed a line. */
async function startServer([program = "", ...args]: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(createInterface(child.stdout), "line");
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
