/** What can be done on each path of a resource. */
import type { ResourceDefinition } from "@coxswain/api";
import { deleteOptions, status, typeBeside, watchEvent } from "./names.ts";
import { type Operation, type PathItem, Place, readAndWrite, writing } from "./operation.ts";
import { deleteCollectionParameters, deleteParameters, listParameters, nameParameter, type Parameter, pretty } from "./parameters.ts";
import { subresourcePaths } from "./subresource-operations.ts";

/** @param root `/api/v1` or `/apis/GROUP/VERSION` */
export function pathsOf(root: string, definition: ResourceDefinition): PathItem[] {
  const place = new Place(root, definition);
  const items: PathItem[] = [
    { path: place.collection, operations: collectionOperations(place) },
    { path: `${place.collection}/{name}`, operations: objectOperations(place) },
  ];
  if (definition.namespaced && definition.verbs.has("list"))
    items.push({ path: place.everywhere, operations: [listOperation(place, true)] });
  for (const subresource of definition.subresources.values()) items.push(...subresourcePaths(place, subresource));
  if (definition.verbs.has("watch") && !place.custom) items.push(...watchPaths(place));
  return items.filter((item) => item.operations.length > 0);
}

function collectionOperations(place: Place): Operation[] {
  const { kind, verbs } = place.definition;
  const operations: Operation[] = [];
  if (verbs.has("deletecollection")) {
    operations.push(
      place.operation("delete", "delete", "deletecollection", {
        object: `Collection${place.object}`,
        description: `Delete all selected objects of kind ${kind}.`,
        ...(place.custom
          ? { parameters: listParameters }
          : { parameters: deleteCollectionParameters, body: { kind: "options", type: deleteOptions } }),
        answers: [{ code: 200, type: status }],
      }),
    );
  }
  if (verbs.has("list")) operations.push(listOperation(place, false));
  if (verbs.has("create")) {
    operations.push(
      place.operation("post", "create", "post", {
        ...writing(place.type, [200, 201, 202]),
        description: `Create an object of kind ${kind}.`,
      }),
    );
  }
  return operations;
}

function listOperation(place: Place, everywhere: boolean): Operation {
  const { kind, listKind, verbs } = place.definition;
  const operation = place.operation("get", "list", "list", {
    description: `${verbs.has("watch") ? "List or watch" : "List"} objects of kind ${kind}.`,
    answers: [{ code: 200, type: typeBeside(place.type, listKind) }],
    produces: place.lists,
  });
  return everywhere
    ? { ...operation, object: `${kind}ForAllNamespaces`, parameters: [pretty, ...listParameters] }
    : { ...operation, parameters: [...place.common, ...listParameters] };
}

function objectOperations(place: Place): Operation[] {
  const { kind, verbs } = place.definition;
  const operations: Operation[] = [];
  if (verbs.has("delete")) {
    const answer = !place.custom && place.definition.strategy.returnDeletedObject ? place.type : status;
    operations.push(
      place.operation("delete", "delete", "delete", {
        description: `Delete an object of kind ${kind}.`,
        parameters: [nameParameter, ...deleteParameters],
        body: { kind: "options", type: deleteOptions },
        answers: [200 as const, 202 as const].map((code) => ({ code, type: answer })),
      }),
    );
  }
  return [...operations, ...readAndWrite(place, { verbs, type: place.type, what: `an object of kind ${kind}` })];
}

/** The old way to watch, by a path of its own. */
function watchPaths(place: Place): PathItem[] {
  const { kind, resource, namespaced } = place.definition;
  const item = (path: string, action: string, object: string, parameters: readonly Parameter[]): PathItem => ({
    path: `${place.root}/watch${path.slice(place.root.length)}`,
    operations: [
      {
        ...place.operation("get", "watch", action, {}),
        object,
        description: `Watch objects of kind ${kind}. Deprecated: list with the watch parameter instead.`,
        parameters: [...parameters, ...listParameters],
        answers: [{ code: 200, type: watchEvent }],
        produces: place.lists,
      },
    ],
  });
  const one = item(`${place.collection}/{name}`, "watch", place.object, [nameParameter, ...place.common]);
  const all = item(place.collection, "watchlist", `${place.object}List`, place.common);
  if (!namespaced) return [all, one];
  return [item(`${place.root}/${resource}`, "watchlist", `${kind}ListForAllNamespaces`, [pretty]), all, one];
}
