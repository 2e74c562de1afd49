/** What happens to a cluster during a run, as a seed has it. */
import type { Random } from "../../../fuzz/harness/random.ts";
import type { Cluster } from "./cluster.ts";
import type { Direction } from "./link.ts";

/** From when to when, in milliseconds from the beginning of the run. */
interface Span {
  readonly at: number;
  readonly forMs: number;
}

/** Of links, processes and members by their names; `server-1 to etcd` is all that lead to a member. */
export type Fault = Span &
  (
    | { readonly kind: "kill server" | "kill etcd" | "freeze server" | "freeze etcd"; readonly process: string }
    /** `endsBy`: what was held back goes on, or all connections end. */
    | { readonly kind: "cut"; readonly link: string; readonly direction: Direction; readonly endsBy: "flow" | "reset" }
    /** To and from the others, of which each pair has two directions. */
    | { readonly kind: "partition"; readonly member: string; readonly direction: Direction }
    | { readonly kind: "delay"; readonly link: string; readonly delayMs: number }
    /** Again and again, each connection after so many bytes of the answers. */
    | { readonly kind: "reset"; readonly link: string; readonly afterBytes: number }
    /** Of all that is older than now. */
    | { readonly kind: "compact" }
    | { readonly kind: "clock step"; readonly server: string; readonly offsetMs: number }
    | { readonly kind: "fill disk" | "fill quota" }
  );

export type FaultKind = Fault["kind"];

/** What can be planned for: names, and whether there is a small disk or a quota. */
export interface Planned extends Pick<Cluster, "disk" | "hasQuota"> {
  readonly servers: readonly (Named & { readonly link: Named })[];
  readonly members: readonly Named[];
  readonly links: { readonly toEtcd: readonly Named[]; readonly peers: readonly Named[] };
}

interface Named {
  readonly name: string;
}

/**
 * One to four. In one of three rounds on etcd they are such as meet: an answer is lost, or a server is behind, while something happens that it
 * would have to know of.
 */
export function planFaults(random: Random, cluster: Planned): readonly Fault[] {
  const { members, disk, hasQuota } = cluster;
  const kinds = [...faultsOfServers(random, cluster), ...(members.length === 0 ? [] : faultsOfEtcd(random, cluster))];
  const any = (count: number): Fault[] => Array.from({ length: count }, () => random.pick(kinds)());
  if (disk !== undefined) return [{ kind: "fill disk", ...spanOf(random) }, ...any(random.below(3))];
  if (hasQuota) return [{ kind: "fill quota", ...spanOf(random) }, ...any(random.below(3))];
  if (members.length === 0 || !random.oneIn(3)) return any(1 + random.below(3));
  return [...random.pick(meetings(random, cluster))(), ...any(random.below(2))];
}

const spanOf = (random: Random): Span => ({ at: 200 + random.below(1_200), forMs: 200 + random.below(1_800) });

/** That begins while the other lasts. */
const within = (random: Random, { at, forMs }: Span): Span => ({ at: at + random.below(forMs), forMs: 200 + random.below(1_000) });

const directionOf = (random: Random): Direction => random.pick(["to", "from", "both"]);
const endOf = (random: Random): "flow" | "reset" => random.pick(["flow", "reset"]);
const toEtcd = (random: Random, { servers }: Planned): string => `${random.pick(servers).name} to etcd`;

function faultsOfServers(random: Random, { servers, links }: Planned): readonly (() => Fault)[] {
  const server = (): string => random.pick(servers).name;
  const link = (): string => random.pick([...servers.map((one) => one.link), ...links.toEtcd, ...links.peers]).name;
  const span = (): Span => spanOf(random);
  return [
    () => ({ kind: "kill server", process: server(), ...span() }),
    () => ({ kind: "freeze server", process: server(), ...span() }),
    () => ({ kind: "cut", link: link(), direction: directionOf(random), endsBy: endOf(random), ...span() }),
    () => ({ kind: "delay", link: link(), delayMs: 20 + random.below(300), ...span() }),
    () => ({ kind: "reset", link: link(), afterBytes: random.below(400), ...span() }),
    () => ({ kind: "clock step", server: server(), offsetMs: (random.below(2_001) - 1_000) * 3_600, ...span() }),
  ];
}

function faultsOfEtcd(random: Random, cluster: Planned): readonly (() => Fault)[] {
  const member = (): string => random.pick(cluster.members).name;
  const link = (): string => toEtcd(random, cluster);
  const span = (): Span => spanOf(random);
  return [
    () => ({ kind: "kill etcd", process: member(), ...span() }),
    () => ({ kind: "freeze etcd", process: member(), ...span() }),
    () => ({ kind: "partition", member: member(), direction: directionOf(random), ...span() }),
    () => ({ kind: "cut", link: link(), direction: directionOf(random), endsBy: endOf(random), ...span() }),
    () => ({ kind: "reset", link: link(), afterBytes: random.below(400), ...span() }),
    () => ({ kind: "delay", link: link(), delayMs: 20 + random.below(300), ...span() }),
    () => ({ kind: "compact", ...span() }),
  ];
}

function meetings(random: Random, cluster: Planned): readonly (() => readonly Fault[])[] {
  const { servers, members } = cluster;
  const meeting = (first: Fault, ...others: readonly ((span: Span) => Fault)[]): readonly Fault[] => [
    first,
    ...others.map((other) => other(within(random, first))),
  ];
  const compact = (span: Span): Fault => ({ kind: "compact", ...span });
  const reset = (span: Span): Fault => ({ kind: "reset", link: toEtcd(random, cluster), afterBytes: random.below(400), ...span });
  const killEtcd = (span: Span): Fault => ({ kind: "kill etcd", process: random.pick(members).name, ...span });
  const cut = (): Fault => {
    const direction = random.pick(["from", "both"] as const);
    // What is held back and goes on leaves no gap.
    return { kind: "cut", link: toEtcd(random, cluster), direction, endsBy: "reset", ...spanOf(random) };
  };
  return [
    () => meeting(cut(), compact),
    () => meeting({ kind: "freeze server", process: random.pick(servers).name, ...spanOf(random) }, compact),
    () => meeting(reset(spanOf(random)), compact, reset),
    () => meeting(reset(spanOf(random)), killEtcd),
    () => meeting({ kind: "partition", member: random.pick(members).name, direction: "both", ...spanOf(random) }, killEtcd),
    () => meeting(killEtcd(spanOf(random)), killEtcd),
  ];
}
