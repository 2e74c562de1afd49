import { messageOf } from "@coxswain/machinery";
/** What keeps the server from starting and is for its user to put right: shown as one sentence, without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}

/** The same for an error of the system, which has a code and a message. */
export function startErrorOf(what: string, error: unknown): StartError {
  return new StartError(`${what}: ${messageOf(error)}`, { cause: error });
}
