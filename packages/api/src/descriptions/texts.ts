/** A type's texts by field; "" is the type's own. */
export type Descriptions = (type: string) => Readonly<Record<string, string>>;

/** Texts of the types of one group and version: by the type's short name, then by field; "" is the type's own. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Every kind of condition has these fields. */
export const condition = {
  "": "One aspect of an object's state, as last observed.",
  type: "Which aspect, in CamelCase.",
  status: "True, False or Unknown.",
  reason: "A word in CamelCase that says why, for machines.",
  message: "A sentence that says why, for people.",
  lastTransitionTime: "When the status last changed.",
  lastUpdateTime: "When the condition was last written.",
  lastProbeTime: "When the aspect was last looked at.",
  lastHeartbeatTime: "When the condition was last reported.",
  observedGeneration: "The generation of the object that was looked at.",
} as const;

/** A reference to an object in the same namespace. */
export const localReference = { "": "Names an object in the same namespace.", name: "Name of the object." } as const;

export const readOnly = "Whether the volume is mounted read-only. By default it is writable.";
export const fsType = "Filesystem of the volume, such as ext4 or xfs.";
export const fileMode = "Permission bits of the file, from 0 to 0777. JSON takes decimal numbers only.";
export const optional = "Whether the Pod may run without it.";
