/** A resource of each test's own, on any server. */
import { type Client, defineResource, type KubeObject, type ResourceRef } from "@coxswain/client";

/** There shall be as many copies as the shelf says. */
export interface Shelf extends KubeObject {
  spec: { copies: number; books?: { title: string; pages?: number }[] };
  status?: { copies: number };
}

interface CustomResourceDefinition extends KubeObject {
  spec: object;
  status?: { conditions?: { type: string; status: string }[] };
}

const definitions = defineResource<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

const integer = { type: "integer", minimum: 0 };
const book = { type: "object", required: ["title"], properties: { title: { type: "string" }, pages: integer } };
const schema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["copies"],
      properties: {
        copies: integer,
        books: { type: "array", items: book, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["title"] },
      },
    },
    status: { type: "object", properties: { copies: integer } },
  },
};

/** Defines Shelf in a group of this name while `use` runs. */
export async function withShelves(client: Client, group: string, use: (shelves: ResourceRef<Shelf>) => Promise<void>): Promise<void> {
  const name = `shelves.${group}`;
  const scale = { specReplicasPath: ".spec.copies", statusReplicasPath: ".status.copies" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {}, scale } };
  const names = { plural: "shelves", singular: "shelf", kind: "Shelf", shortNames: ["shf"] };
  await client.resource(definitions).create({ metadata: { name }, spec: { group, scope: "Namespaced", names, versions: [version] } });
  try {
    await established(client, name);
    await use(defineResource<Shelf>({ group, version: "v1", resource: "shelves", kind: "Shelf", namespaced: true }));
  } finally {
    await client.resource(definitions).delete(name);
  }
}

async function established(client: Client, name: string): Promise<void> {
  const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
    status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") ?? false;
  for await (const event of client.resource(definitions).watch({ fieldSelector: `metadata.name=${name}` })) {
    const objects = event.type === "LISTED" ? event.items : "object" in event ? [event.object] : [];
    if (objects.some(isEstablished)) return;
  }
}
