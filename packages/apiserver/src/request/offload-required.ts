/**
 * Thrown where it turns out that a request costs more than the main thread can spend on it, before it has
 * changed anything: it begins again in another thread.
 */
export class OffloadRequired extends Error {
  constructor() {
    super("the request has to be served by another thread");
    this.name = "OffloadRequired";
  }
}
