/** What all of a shell knows of each other. */
import type { Program, ProgramEnvironment } from "../streams.ts";
import type { Variables } from "./variables.ts";

/** Ends the shell with this code. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code & 255;
  }
}

export interface ShellContext {
  readonly variables: Variables;
  readonly around: ProgramEnvironment;
  /** Undefined for what is none. */
  readonly program: (name: string) => Program | undefined;
}
