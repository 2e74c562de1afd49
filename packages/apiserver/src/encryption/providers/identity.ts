import { isEncrypted, TransformError } from "@coxswain/store";
import type { Provider } from "./provider.ts";

/** Values as they are. */
export const identityProvider: Provider = {
  seal: (value) => value,
  open(value) {
    if (isEncrypted(value)) throw new TransformError("identity transformer tried to read encrypted data");
    return { value, stale: false };
  },
};
