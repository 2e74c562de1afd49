/** What programs of a simulated container read, write and know. */
import type { Clock } from "@coxswain/machinery";
import type { SimulatedContainer } from "./script.ts";

export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface ProgramEnvironment {
  readonly config: { readonly env: SimulatedContainer["env"]; readonly hostname: string };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type Program = (args: readonly string[], streams: Streams, around: ProgramEnvironment) => number | Promise<number>;
