/** The options of `coxswain copy`. */
import type { Command } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { addEncryptionFileOption } from "./encryption-options.ts";
import { addEtcdOptions, type ParsedEtcdOptions } from "./etcd-options.ts";
import { type NamedPlace, parsePlace, placeOf, type StatePlace } from "./state-place.ts";

export interface CopyOptions {
  readonly from: StatePlace;
  readonly to: StatePlace;
  /** Whether a state that is there is replaced. */
  readonly replace: boolean;
  /** An EncryptionConfiguration, by which values are read and written. */
  readonly encryptionConfig: string | undefined;
}

interface Parsed extends ParsedEtcdOptions {
  readonly from: NamedPlace;
  readonly to: NamedPlace;
  readonly replace?: true;
  readonly encryptionProviderConfig?: string;
}

const place = "a data directory, etcd (that of --etcd-servers), or the URLs of an etcd";

export const copyCommand = (output: Output, _env?: Environment): Command =>
  addEncryptionFileOption(
    addEtcdOptions(
      baseCommand("copy", output)
        .usage("--from <place> --to <place> [options]")
        .description("Copy a whole state from one place to another, while no server uses either.")
        .requiredOption("--from <place>", `where it is: ${place}`, parsePlace)
        .requiredOption("--to <place>", "where it goes to: the same", parsePlace)
        .option("--replace", "replace the state that is there"),
    ),
  );

export function parseCopyOptions(args: readonly string[], output: Output): CopyOptions {
  const command = copyCommand(output).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  return {
    from: placeOf(parsed.from, parsed, command),
    to: placeOf(parsed.to, parsed, command),
    replace: parsed.replace === true,
    encryptionConfig: parsed.encryptionProviderConfig,
  };
}
