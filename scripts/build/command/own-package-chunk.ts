/** The chunk, without `.js`, that holds an entry point: `@coxswain/client/node` has `package-client-node`. */
export const ownPackageChunk = (specifier: string): string => `package-${specifier.slice("@coxswain/".length).replaceAll("/", "-")}`;

/** Whether an import names an entry point of one of our packages. */
export const isOwnPackage = (specifier: string): boolean => /^@coxswain\/[a-z]/.test(specifier);
