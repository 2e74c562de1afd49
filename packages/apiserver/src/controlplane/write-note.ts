import type { WriteNote } from "@coxswain/store";

/** Of what the server's own loops write without a request. */
export const writeNote: WriteNote = { user: "system:apiserver", userAgent: "kube-apiserver" };
