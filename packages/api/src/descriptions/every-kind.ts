/** What these fields mean in every kind. The first three begin with the words by which clients find them in `kubectl explain`. */
export const textsOfKinds = {
  apiVersion: "APIVersion defines the form in which the object is written: its group and version, such as apps/v1.",
  kind: "Kind is a string that names what sort of object this is, such as Deployment.",
  metadata: "Standard object's metadata: name, labels and the like.",
  spec: "The state that is wanted.",
  status: "The state that was observed. Written by controllers.",
};

export const textsOfLists = {
  ...textsOfKinds,
  items: "The objects.",
  metadata: "Standard list metadata: its version, and where a next page begins.",
};

/** What a list is. */
export const listText = (kind: string): string => `A list of objects of kind ${kind}.`;
