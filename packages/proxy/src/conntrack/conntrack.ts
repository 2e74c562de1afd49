/** The program `conntrack`, which lists and deletes tracked connections. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { IpFamily } from "../contracts/ip-family.ts";
import { type ConntrackEntry, parseEntries } from "./stale-entries.ts";

/** Lists and deletes tracked UDP connections. */
export interface Conntrack {
  /** @throws Error where the program is missing or fails */
  listUdp(family: IpFamily): Promise<readonly ConntrackEntry[]>;
  /** How many of them were still there. @throws Error */
  remove(family: IpFamily, entries: readonly ConntrackEntry[]): Promise<number>;
}

const execute = promisify(execFile);
const maxOutput = 512 * 1024 * 1024;
/** The program's status when nothing matches. */
const noMatch = 1;

/** Runs the program by these words: its name or path, or what runs it elsewhere. */
export function conntrackProgram([program = "conntrack", ...first]: readonly string[] = []): Conntrack {
  const run = async (...args: readonly string[]): Promise<string> =>
    (await execute(program, [...first, ...args], { maxBuffer: maxOutput })).stdout;
  const familyOf = (family: IpFamily): string => family.toLowerCase();
  return {
    listUdp: async (family) => parseEntries(await run("-L", "-p", "udp", "-f", familyOf(family))),
    remove: async (family, entries) => {
      let removed = 0;
      for (const entry of entries) {
        const { source, sourcePort, destination, destinationPort } = entry;
        const match = ["-s", source, "-d", destination, "--sport", String(sourcePort), "--dport", String(destinationPort)];
        try {
          await run("-D", "-p", "udp", "-f", familyOf(family), ...match);
          removed++;
        } catch (error) {
          // It has ended meanwhile.
          if ((error as { code?: unknown }).code !== noMatch) throw error;
        }
      }
      return removed;
    },
  };
}
