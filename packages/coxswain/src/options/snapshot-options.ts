/** The options of `coxswain snapshot`. */
import { Argument, type Command, Option } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { addEncryptionFileOption } from "./encryption-options.ts";
import { addEtcdOptions, etcdSettingsOf, type ParsedEtcdOptions } from "./etcd-options.ts";
import { addServerOptions, dataDirOf, type ParsedServerOptions } from "./server-options.ts";
import type { StatePlace } from "./state-place.ts";

const actions = ["save", "restore", "status"] as const;
const outputs = ["text", "json"] as const;

export interface SnapshotOptions {
  readonly action: (typeof actions)[number];
  readonly file: string;
  readonly place: StatePlace;
  /** Of `restore`: whether a state that is there is replaced. */
  readonly replace: boolean;
  /** Of `restore`: an EncryptionConfiguration, by which values are read and written. */
  readonly encryptionConfig: string | undefined;
  readonly output: (typeof outputs)[number];
}

interface Parsed extends ParsedEtcdOptions, ParsedServerOptions {
  readonly replace?: true;
  readonly encryptionProviderConfig?: string;
  readonly output: SnapshotOptions["output"];
}

export const snapshotCommand = (output: Output, env: Environment): Command =>
  addEncryptionFileOption(
    addEtcdOptions(
      addServerOptions(
        baseCommand("snapshot", output)
          .usage("save|restore|status <file> [options]")
          .description("Save a whole state as one file, bring it back, or say what is in such a file.")
          .addArgument(new Argument("<action>", "what to do").choices(actions))
          .argument("<file>", "the snapshot"),
        env,
      )
        .option("--replace", "replace the state that is there")
        .addOption(new Option("-o, --output <form>", "how to show what is in it").choices(outputs).default("text")),
    ),
  );

export function parseSnapshotOptions(args: readonly string[], env: Environment, output: Output): SnapshotOptions {
  const command = snapshotCommand(output, env).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  const [action, file = ""] = command.args as [SnapshotOptions["action"], string];
  const settings = etcdSettingsOf(parsed);
  const path = dataDirOf(parsed, env);
  if (settings !== undefined && (parsed.dataDir ?? parsed.name) !== undefined)
    command.error("error: a state is in etcd or in a data directory, not in both");
  const { replace, encryptionProviderConfig: encryptionConfig } = parsed;
  if (action !== "restore" && replace) command.error(`error: ${action} replaces nothing`);
  if (action !== "restore" && encryptionConfig !== undefined)
    command.error(`error: ${action} takes values as they are, without --encryption-provider-config`);
  return {
    ...{ action, file, output: parsed.output, replace: replace === true, encryptionConfig },
    place: settings === undefined ? { kind: "directory", path } : { kind: "etcd", settings },
  };
}
