/** What PersistentVolumes and their claims have in common. */
import { field } from "@coxswain/machinery";
import { type Errors, oneOf } from "./checks.ts";

/** In the order in which Kubernetes names them. */
const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

export function validateAccessModes(out: Errors, path: string, modes: readonly string[]): void {
  for (const mode of modes) oneOf(out, `${path}.accessModes`, mode, accessModes);
  const known = modes.filter((mode) => accessModes.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    out.push(field.forbidden(`${path}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  }
}

export const validateVolumeMode = (out: Errors, path: string, mode: string | undefined): void =>
  oneOf(out, `${path}.volumeMode`, mode, ["Block", "Filesystem"]);

const shortModes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** As in `RWO,ROX`. */
export const accessModesCell = (modes: readonly string[] = []): string =>
  shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");

/** Where a class stood before it had a field. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Whether a claim or volume notes a class in the annotation, and which; an annotation wins. */
export const storageClassOf = (annotations: Readonly<Record<string, string>> = {}, className = ""): string =>
  Object.hasOwn(annotations, classAnnotation) ? (annotations[classAnnotation] ?? "") : className;
