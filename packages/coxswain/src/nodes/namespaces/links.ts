/** Links of a network namespace, by the program `ip`. */
import { runProgram } from "./run-program.ts";

/** Runs `ip` with these words, and says what it prints. */
export type Ip = (...args: readonly string[]) => Promise<string>;

/** In the network namespace that the words lead to, as `ip -n NAME`; none: this process's own. */
export const ipProgram =
  (first: readonly string[] = []): Ip =>
  (...args) =>
    runProgram(["ip", ...first, ...args]);

export interface Link {
  readonly ifname?: string;
  /** The bridge that it is a port of. */
  readonly master?: string;
  readonly addr_info?: readonly { readonly local?: string }[];
}

/** @throws ProgramError */
export const listLinks = async (ip: Ip): Promise<readonly Link[]> => parseLinks(await ip("-json", "link", "show"));

/** What `ip -json` prints; nothing where there is nothing. */
export const parseLinks = (json: string): readonly Link[] => JSON.parse(json.trim() === "" ? "[]" : json);

/** The kernel removes it too, with its other end: then it is gone as well. @throws ProgramError */
export async function deleteLink(ip: Ip, name: string): Promise<void> {
  const isThere = async (): Promise<boolean> => (await listLinks(ip)).some(({ ifname }) => ifname === name);
  if (!(await isThere())) return;
  try {
    await ip("link", "delete", name);
  } catch (error) {
    if (await isThere()) throw error;
  }
}
