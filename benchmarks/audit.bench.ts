/**
 * What recording requests at the level Metadata costs: CPU time of a GET in this process, which serves and asks, without a policy and with
 * one, in turns. Prints one JSON line per measurement; the argument is how many requests each turn has (3,000 unless given).
 */
import { compileAuditPolicy } from "@coxswain/apiserver";
import { type Api, startApi } from "../tests/integration/api.ts";

const requests = Number(process.argv[2] ?? 3_000);
const turns = 5;
const together = 16;
let bytes = 0;
const sink = {
  process(line: string): boolean {
    bytes += line.length;
    return true;
  },
};
const audit = { policy: compileAuditPolicy({ rules: [{ level: "Metadata" }] }), sink };
const servers = [
  { name: "without a policy", api: await startApi(), best: Number.POSITIVE_INFINITY },
  { name: "Metadata, without a log", api: await startApi({ audit }), best: Number.POSITIVE_INFINITY },
];
for (const { api } of servers) await get(api);
for (let turn = 0; turn < turns; turn++) {
  for (const server of servers) {
    const before = process.cpuUsage();
    await get(server.api);
    const { user, system } = process.cpuUsage(before);
    server.best = Math.min(server.best, (user + system) / requests);
  }
}
for (const { name, best } of servers) console.log(JSON.stringify({ name, microseconds: Math.round(best * 100) / 100 }));
console.log(JSON.stringify({ name: "written of a request", bytes: Math.round(bytes / requests / (turns + 1)) }));
for (const { api } of servers) await api.server.close();

async function get(api: Api): Promise<void> {
  for (let sent = 0; sent < requests; sent += together)
    await Promise.all(Array.from({ length: together }, () => api.send("GET", "/api/v1/namespaces/default")));
}
