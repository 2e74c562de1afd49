/** The kubeconfig of a server: its own entries are written at each start, and what a user has added stays. */
import type { Clock } from "@coxswain/machinery";
import { isAlive, type ProcessIdentity } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";
import type { Marks } from "./change-kubeconfig.ts";
import { firstWords, isUnaltered, type KubeconfigFacts, kubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { readIfThere } from "./private-file.ts";

/**
 * Call it before anything else is done.
 * @throws StartError when the file has somebody else's settings in it, or is that of another server that runs
 */
export async function checkKubeconfig(path: string, self: ProcessIdentity): Promise<void> {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "") return;
  const { isOwn, servers } = present.startsWith(firstWords) ? marksInText(present) : await marksInDocument(present, path);
  if (!isOwn) throw new StartError(`${path} exists and coxswain did not write it; name another file with --kubeconfig`);
  const other = servers.find((server) => server.pid !== self.pid && isAlive(server));
  if (other !== undefined)
    throw new StartError(`${path} is the kubeconfig of a server that runs (process ${other.pid}); name another file with --kubeconfig`);
}

/** @throws StartError when it cannot be written */
export async function updateKubeconfig(path: string, facts: KubeconfigFacts & { readonly name: string }, clock: Clock): Promise<void> {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "" || isUnaltered(present, kubeconfig(facts))) return writeKubeconfig(path, facts);
  const { changeKubeconfig } = await import("./change-kubeconfig.ts");
  await changeKubeconfig(path, facts, clock);
}

/** Without a parser for YAML, which most starts need for nothing else. */
function marksInText(text: string): Marks {
  const [, pid, startTime] = /"pid":(\d+),"startTime":"([^"]*)"/.exec(text) ?? [];
  return { isOwn: true, servers: pid === undefined || startTime === undefined ? [] : [{ pid: Number(pid), startTime }] };
}

async function marksInDocument(text: string, path: string): Promise<Marks> {
  const { marksIn } = await import("./change-kubeconfig.ts");
  return await marksIn(text, path);
}
