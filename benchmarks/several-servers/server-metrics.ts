/** What servers count: requests by verb and resource, and answers that refuse. */
import type { Client } from "@coxswain/client";

export type Counts = ReadonlyMap<string, number>;

const line = /^apiserver_request_total\{([^}]*)\} (\S+)/gm;

/** Of all servers together, by `create pods/status` and the like; what was refused also by its code. */
export async function requestCounts(clients: readonly Client[]): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const client of clients) {
    const response = await client.request({ method: "GET", path: "/metrics", headers: {} });
    const text = new TextDecoder().decode(await response.bytes());
    for (const [, labels = "", value = ""] of text.matchAll(line)) {
      const { verb = "", resource = "", subresource = "", code = "" } = parseLabels(labels);
      const what = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}${Number(code) < 400 ? "" : ` ${code}`}`;
      counts.set(what, (counts.get(what) ?? 0) + Number(value));
    }
  }
  return counts;
}

/** What came since then, divided, most first; what is less than a hundredth is left out. */
export function perUnit(before: Counts, after: Counts, units: number): Readonly<Record<string, number>> {
  const differences = [...after].map(([what, count]) => [what, (count - (before.get(what) ?? 0)) / units] as const);
  const most = differences.filter(([, share]) => share >= 0.01).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(most.map(([what, share]) => [what, Number(share.toFixed(2))]));
}

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
