const staticSuffix = ".static.k8s.io";

/** Admission configuration that the server reads from files has names of its own. */
export const reservedNameWarnings = (name: string | undefined): string[] =>
  name?.endsWith(staticSuffix)
    ? [
        `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];
