/** What these fields mean in every kind. */
export const textsOfKinds = {
  apiVersion: "Group and version of the object's form, such as apps/v1.",
  kind: "Which kind of object this is.",
  metadata: "What the object says of itself: name, labels and the like.",
  spec: "The state that is wanted.",
  status: "The state that was observed. Written by controllers.",
};

export const textsOfLists = { ...textsOfKinds, items: "The objects.", metadata: "What the list says of itself." };

/** What a list is. */
export const listText = (kind: string): string => `A list of objects of kind ${kind}.`;
