/** What connections from every place to every address of every shape come to, in a form that can be kept and compared. */
import { type Network, type ProbeOptions, type ProbeResult, places } from "./network.ts";
import type { Shape } from "./shapes.ts";

/** By shape, address and place: `a, remote from 10.244.1.2`, `refused` or `dropped`. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** From where it is tried. */
const from = ["a", "b", "node", "outside"] as const;

export async function outcomesOf(network: Network, shapes: readonly Shape[]): Promise<Outcomes> {
  // Clients that come by two addresses at the same moment could begin with two endpoints of a Service that keeps them at one.
  const [one, several] = [shapes.filter(({ hasAffinity }) => hasAffinity), shapes.filter(({ hasAffinity }) => !hasAffinity)];
  return { ...(await outcomesAtOnce(network, several, {})), ...(await outcomesAtOnce(network, one, { concurrency: 1 })) };
}

async function outcomesAtOnce(network: Network, shapes: readonly Shape[], options: ProbeOptions): Promise<Outcomes> {
  const all = shapes.flatMap((shape) => Object.entries(shape.targets).map(([name, target]) => ({ shape, name, target })));
  const outcomes: Record<string, Record<string, Record<string, string>>> = {};
  for (const place of from) {
    const results = await network.probe(
      place,
      all.map(({ target }) => target),
      options,
    );
    for (const [at, { shape, name }] of all.entries()) {
      outcomes[shape.name] ??= {};
      (outcomes[shape.name] as Record<string, Record<string, string>>)[name] ??= {};
      const row = outcomes[shape.name]?.[name] as Record<string, string>;
      row[place] = outcomeText(results[at] as ProbeResult, shape.hasAffinity);
    }
  }
  return outcomes;
}

function outcomeText({ outcome, answers, sources }: ProbeResult, hasAffinity: boolean): string {
  if (outcome !== "answered") return outcome === "mixed" ? `sometimes ${answers.join(", ")}` : outcome;
  // Which one a client stays with is chance, and so is whether that is the client itself, which is masqueraded.
  if (hasAffinity) return answers.length === 1 ? "always the same" : answers.join(", ");
  const ownAddresses: readonly string[] = Object.values(places).flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
  return `${answers.join(", ")} from ${sources.map((ip) => (ownAddresses.includes(ip) ? ip : "the node")).join(", ")}`;
}
