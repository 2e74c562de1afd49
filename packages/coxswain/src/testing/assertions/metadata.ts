/** What stands in the metadata of objects. */
import { asKubeObject, type Check, nameOfObject } from "./check.ts";

export function checkFinalizer(value: unknown, finalizer: string): Check {
  const object = asKubeObject(value);
  const finalizers = object.metadata?.finalizers ?? [];
  const found = finalizers.length === 0 ? "it has no finalizers" : `its finalizers: ${finalizers.join(", ")}`;
  return { pass: finalizers.includes(finalizer), subject: nameOfObject(object), claim: `have the finalizer ${finalizer}`, found };
}

/** By the owner reference with `controller: true`, and by uid: another object of the owner's name is not the owner. */
export function checkControlledBy(value: unknown, owner: unknown): Check {
  const object = asKubeObject(value);
  const controllerObject = asKubeObject(owner);
  const reference = object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  const found =
    reference === undefined ? "nothing controls it" : `its controller is ${reference.kind} ${reference.name} with uid ${reference.uid}`;
  const { uid } = controllerObject.metadata ?? {};
  const claim = `be controlled by ${nameOfObject(controllerObject)} with uid ${uid ?? "not set"}`;
  return { pass: uid !== undefined && reference?.uid === uid, subject: nameOfObject(object), claim, found };
}
