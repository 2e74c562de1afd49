/** On how many threads a server and what runs beside it work. */
import { type Command, InvalidArgumentError } from "commander";

/** The option, parsed. */
export interface ThreadOptions {
  /**
   * The API server's is the first; controllers, scheduler and simulated nodes have the others, which know the system's clock alone.
   * Default: 1; `auto` is the command's.
   */
  readonly threads?: number | "auto" | undefined;
  /** How many API servers there are, each in a thread of its own: the first in that which has the store. Default: 1. */
  readonly servers?: number | undefined;
}

export type ParsedThreadOptions = Required<ThreadOptions>;

export const addThreadOptions = (command: Command): Command =>
  command
    .option(
      "--threads <number>",
      "how many there are: the API server's, and others for controllers, scheduler and simulated nodes; auto: as the processors allow",
      parseThreads,
      "auto",
    )
    .option(
      "--servers <number>",
      "API servers that share the port and the state, each with a thread; more than one for more processors",
      parseServers,
      1,
    );

function parseServers(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError("It must be a number from 1 to 99.");
  return Number(text);
}

function parseThreads(text: string): number | "auto" {
  if (text === "auto") return text;
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError("It must be auto, or a number from 1 to 99.");
  return Number(text);
}
