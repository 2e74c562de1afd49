/** Makes one file of Node and the command, for one platform. */
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";
import { bundleChunks } from "./bundle-chunks.ts";
import { licencesOfExecutable } from "./licences.ts";
import { nodePackage, type Platform, run, thisPlatform } from "./platforms.ts";
import { signMachO } from "./sign-mach-o.ts";
import { stripElf } from "./strip-elf.ts";

/** Where executables stand. */
export const executablesDir = join(root, "dist/executable");

/** Where the executable of a platform stands. */
export const executablePath = (platform: Platform): string => join(executablesDir, `coxswain-${platform}`);

/** The licences of all that is in it, which it prints itself, too. */
export const licencesPath = (platform: Platform): string => `${executablePath(platform)}.licences`;

/** Returns what was made. @throws Error naming what could not be built */
export async function buildExecutables(wanted: readonly Platform[]): Promise<{ readonly path: string; readonly bytes: number }[]> {
  const scratch = mkdtempSync(join(tmpdir(), "coxswain-executable-"));
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const chunks = join(scratch, "chunks");
  const packages = await bundleChunks(chunks);
  // Code that V8 has compiled is for the same V8 on the same processor; elsewhere it would be thrown away.
  if (wanted.some((platform) => platform === thisPlatform)) run(process.execPath, [join(chunks, "record.cjs"), chunks, scratch], root);
  mkdirSync(executablesDir, { recursive: true });
  return wanted.map((platform) => {
    const path = executablePath(platform);
    inject({ platform, chunks, packages, scratch, path });
    return { path, bytes: statSync(path).size };
  });
}

interface Injected {
  readonly platform: Platform;
  readonly chunks: string;
  readonly packages: readonly string[];
  readonly scratch: string;
  readonly path: string;
}

function inject({ platform, chunks, packages, scratch, path }: Injected): void {
  const node = nodePackage(platform);
  const licences = licencesPath(platform);
  writeFileSync(licences, licencesOfExecutable(node, packages));
  const executable = join(scratch, `node-${platform}`);
  const program = readFileSync(join(node, "bin/node"));
  writeFileSync(executable, platform.startsWith("linux-") ? stripElf(program) : program);
  const files = filesFor(platform, chunks);
  const config = join(scratch, `${platform}.json`);
  const settings = {
    main: join(chunks, "main.cjs"),
    executable,
    output: path,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    assets: { licences, ...Object.fromEntries(files.map((name) => [name, join(chunks, name)])) },
  };
  writeFileSync(config, JSON.stringify(settings));
  rmSync(path, { force: true });
  run(process.execPath, [`--build-sea=${config}`], scratch);
  if (platform.startsWith("darwin-")) writeFileSync(path, signMachO(readFileSync(path), "coxswain"));
  chmodSync(path, 0o755);
}

const filesFor = (platform: Platform, chunks: string): string[] =>
  globSync("*", { cwd: chunks }).filter((name) => name !== "record.cjs" && (platform === thisPlatform || !name.endsWith(".cache")));
