/** Something in a kubeconfig, or around it, that keeps a client from using it. */
export class KubeconfigError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "KubeconfigError";
  }
}
