/** Writing a large object takes tens of milliseconds, in steps that nothing can interrupt: between them, others are served. */
const large = 64 * 1024;

/** `bytes` is the larger of what was sent and what is stored. Small objects need not wait: undefined. */
export const breathe = (bytes: number): Promise<void> | undefined =>
  bytes < large ? undefined : new Promise((resolve) => setImmediate(resolve));
