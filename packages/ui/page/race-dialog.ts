/** The visitor's own object in the place of the one that a race has. */
import type { RaceDefinition, RaceRequest, RaceSample } from "@coxswain/machinery";
import { ServerError } from "./api.ts";
import { element } from "./element.ts";

export interface DialogOptions {
  readonly definition: RaceDefinition;
  readonly request: RaceRequest;
  /** @throws ServerError */
  readonly begin: (request: RaceRequest) => Promise<void>;
}

export function openDialog(dialog: HTMLDialogElement, { definition, request, begin }: DialogOptions): void {
  const { samples, name: race, title } = definition;
  const current = { ...(samples[0] as RaceSample), ...request };
  const sample = element("select", { id: "sample" }, ...samples.map((one, at) => element("option", { value: String(at) }, one.title)));
  const yaml = element("textarea", { id: "yaml", rows: "14", spellcheck: "false", autocomplete: "off", maxlength: String(16 * 1024) });
  const field = element("input", { id: "field", type: "text", spellcheck: "false", autocomplete: "off" });
  const one = element("input", { id: "one", type: "text", spellcheck: "false", autocomplete: "off" });
  const other = element("input", { id: "other", type: "text", spellcheck: "false", autocomplete: "off" });
  const errors = element("div", { role: "alert", class: "conflict" });
  const hasField = current.field !== undefined;
  const fill = (from: Omit<RaceSample, "title">): void => {
    yaml.value = from.yaml;
    field.value = from.field ?? "";
    [one.value, other.value] = from.values ?? ["", ""];
  };
  fill(current);
  sample.addEventListener("change", () => fill(samples[Number(sample.value)] as RaceSample));
  const submit = element("button", { type: "submit", class: "primary" }, "Begin with it");
  const cancel = element("button", { type: "button" }, "Cancel");
  cancel.addEventListener("click", () => dialog.close());
  const form = element(
    "form",
    {},
    element("h2", { id: "dialog-title" }, `${title}: the object`),
    labelled("Begin from", sample),
    labelled("The object, as YAML", yaml),
  );
  if (hasField)
    form.append(
      element(
        "div",
        { class: "fields" },
        labelled("The field that both set", field),
        labelled("one sets it to", one),
        labelled("the other to", other),
      ),
    );
  form.append(
    element(
      "p",
      { class: "muted" },
      "It goes into a server of its own, in memory, which checks it as any server does. Nothing reaches the cluster.",
    ),
    errors,
    element("div", { class: "buttons" }, submit, cancel),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit.disabled = true;
    errors.replaceChildren();
    const wanted: RaceRequest = {
      race,
      yaml: yaml.value,
      ...(hasField ? { field: field.value.trim(), values: [one.value, other.value] } : {}),
    };
    begin(wanted)
      .then(() => dialog.close())
      .catch((error: unknown) => errors.replaceChildren(...textsOf(error).map((text) => element("p", {}, text))))
      .finally(() => {
        submit.disabled = false;
      });
  });
  dialog.replaceChildren(form);
  dialog.showModal();
}

const labelled = (text: string, control: HTMLElement): HTMLElement => element("label", {}, element("span", {}, text), control);

function textsOf(error: unknown): readonly string[] {
  if (!(error instanceof ServerError)) return [String(error)];
  const { code, message, status } = error;
  const causes = (status?.details?.causes ?? []).map(({ field, message: why = "" }) => (field === undefined ? why : `${field}: ${why}`));
  return [`${code} ${status?.reason ?? ""}: ${message}`, ...causes.filter((text) => !message.includes(text))];
}
