/** The program `nft`, which talks to the kernel. */
import { spawn } from "node:child_process";
import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IpFamily } from "../contracts/ip-family.ts";
import { nftFamily } from "../ruleset/statements.ts";
import type { ExistingTable } from "./full-sync.ts";
import { type NftCommand, tableName } from "./table.ts";
import type { TableCounts } from "./table-counts.ts";

/** Writes and reads tables. */
export interface Nft {
  /** All of the commands, or none. @throws NftError */
  run(commands: readonly NftCommand[], signal?: AbortSignal): Promise<void>;
  /** Undefined where there is no such table. @throws NftError */
  readTable(family: IpFamily, signal?: AbortSignal): Promise<ExistingTable | undefined>;
  /** The kernel's number of the table, which no other one gets later; undefined where there is none. @throws NftError */
  tableHandle(family: IpFamily, signal?: AbortSignal): Promise<number | undefined>;
  /** How much the table has in each part. @throws NftError, also where there is none */
  countTable(family: IpFamily, signal?: AbortSignal): Promise<TableCounts>;
}

/** `nft` is not there, or did not do what it was asked to. */
export class NftError extends Error {
  override readonly name = "NftError";
}

/**
 * Runs the program by these words: its name or path, or what runs it elsewhere, as `ip netns exec NAME nft`.
 * @param name of the table that is read; the proxy's, unless another one is named
 */
export function nftProgram([program = "nft", ...first]: readonly string[] = [], name: string = tableName): Nft {
  const run = (args: readonly string[], input: Iterable<string>, signal: AbortSignal | undefined) =>
    runProgram(program, [...first, ...args], { input, signal });
  return {
    run: async (commands, signal) => {
      await run(["-j", "-f", "-"], documentOf(commands), signal);
    },
    readTable: async (family, signal) => {
      const tables = parse(await run(["-j", "list", "tables", nftFamily(family)], "", signal));
      if (!tables.some(({ table }) => table?.name === name)) return undefined;
      // Listing the table takes nft many seconds where there are ten thousand Services: the rules are not needed.
      const lists = ["chains", "sets", "maps"].map(async (what) =>
        parse(await run(["-j", "-t", "list", what, nftFamily(family)], "", signal)),
      );
      return existingTable((await Promise.all(lists)).flat(), name);
    },
    tableHandle: async (family, signal) => {
      const tables = parse(await run(["-j", "list", "tables", nftFamily(family)], "", signal));
      return tables.find(({ table }) => table?.name === name)?.table?.handle;
    },
    countTable: async (family, signal) => tableCounts(parse(await run(["-j", "list", "table", nftFamily(family), name], "", signal))),
  };
}

/** Removes the tables of the name from all families, as far as they are there; the proxy's, unless another one is named. @throws NftError */
export async function removeTables(nft: Nft, families: readonly IpFamily[], name: string = tableName): Promise<void> {
  const deleted = families.flatMap((family) => {
    const table = { family: nftFamily(family), name };
    // Adding what is there already does nothing, and what was added can be deleted.
    return [{ add: { table } }, { delete: { table } }];
  });
  await nft.run(deleted);
}

interface Listed {
  readonly table?: { readonly name: string; readonly handle: number };
  readonly chain?: InTable;
  readonly set?: InTable & { readonly timeout?: number };
  readonly map?: InTable;
  readonly rule?: { readonly chain: string };
}

interface InTable {
  readonly name: string;
  readonly table: string;
  readonly elem?: readonly unknown[];
}

const parse = (text: string): readonly Listed[] => (text.trim() === "" ? [] : (JSON.parse(text) as { nftables: Listed[] }).nftables);

function existingTable(listed: readonly Listed[], name: string): ExistingTable {
  const isOwn = (one: InTable): boolean => one.table === name;
  const chains = new Set<string>();
  const sets = new Map<string, number | undefined>();
  const maps = new Set<string>();
  for (const { chain, set, map } of listed) {
    if (chain !== undefined && isOwn(chain)) chains.add(chain.name);
    if (set !== undefined && isOwn(set)) sets.set(set.name, set.timeout);
    if (map !== undefined && isOwn(map)) maps.add(map.name);
  }
  return { chains, sets, maps };
}

const commandsPerPiece = 1_000;

/** In pieces, between which the process may do other things: of many Services it has megabytes. */
function* documentOf(commands: readonly NftCommand[]): Iterable<string> {
  yield '{"nftables":[';
  for (let at = 0; at < commands.length; at += commandsPerPiece) {
    const piece = commands.slice(at, at + commandsPerPiece).map((command) => JSON.stringify(command));
    yield `${at === 0 ? "" : ","}${piece.join(",")}`;
  }
  yield "]}";
}

function tableCounts(listed: readonly Listed[]): TableCounts {
  const chains = new Map<string, number>();
  const containers = new Map<string, number>();
  for (const { chain, set, map, rule } of listed) {
    if (chain !== undefined) chains.set(chain.name, chains.get(chain.name) ?? 0);
    if (rule !== undefined) chains.set(rule.chain, (chains.get(rule.chain) ?? 0) + 1);
    const container = set ?? map;
    if (container !== undefined) containers.set(container.name, container.elem?.length ?? 0);
  }
  return { chains, containers };
}

interface ProgramInput {
  readonly input: Iterable<string>;
  readonly signal: AbortSignal | undefined;
}

/** What it prints. @throws NftError with what it says on standard error */
async function runProgram(program: string, args: readonly string[], { input, signal }: ProgramInput): Promise<string> {
  // nft opens /dev/stdin by its name, which cannot be done with the sockets that Node makes of pipes.
  const stdin = input === "" ? undefined : await unnamedFile(input);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program, [...args], {
        stdio: [stdin?.fd ?? "ignore", "pipe", "pipe"],
        ...(signal === undefined ? {} : { signal }),
      });
      const output: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
      child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
      child.on("error", (error: NodeJS.ErrnoException) => reject(signal?.aborted ? signal.reason : startError(program, error)));
      child.on("close", (code) => {
        if (code === 0) return resolve(Buffer.concat(output).toString());
        const said = Buffer.concat(errors).toString().trim();
        reject(new NftError(`${program} ${args.join(" ")} ended with status ${code}: ${said.slice(0, 2_000)}`));
      });
    });
  } finally {
    await stdin?.close();
  }
}

const startError = (program: string, error: NodeJS.ErrnoException): NftError =>
  new NftError(error.code === "ENOENT" ? `the program ${program} is not installed` : `cannot run ${program}: ${error.message}`);

/** To be read from its beginning; it is gone once it is closed. */
async function unnamedFile(pieces: Iterable<string>): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-proxy-"));
  try {
    const path = join(directory, "transaction.json");
    await writeFile(path, pieces, { mode: 0o600 });
    return await open(path, "r");
  } finally {
    await rm(directory, { recursive: true });
  }
}
