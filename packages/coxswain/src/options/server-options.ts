/** Which server of this user a command is about, for commands that work on what it keeps. */
import type { Command } from "commander";
import type { Environment } from "./base-command.ts";
import { parseName } from "./instance-name.ts";
import { defaultDataDir } from "./user-paths.ts";

export interface ParsedServerOptions {
  readonly name?: string;
  readonly dataDir?: string;
}

export const addServerOptions = (command: Command, env: Environment): Command =>
  command
    .option("--name <name>", "of which server: the one with its default data directory", parseName)
    .option("--data-dir <dir>", `where its state is kept (default: ${defaultDataDir(env)}, with -<name> behind it)`);

export const dataDirOf = ({ dataDir, name }: ParsedServerOptions, env: Environment): string => dataDir ?? defaultDataDir(env, name);
