/** The peer breaks the rules, or the session has ended. */
export class SpdyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`spdy: ${message}`, options);
    this.name = "SpdyError";
  }
}
