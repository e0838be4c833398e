import { t } from "@lingui/core/macro";
import { ApiError, fieldErrors } from "~/api/errors";
import type { TrainingForm } from "~/api/types";
import { type Field, type FormValues, readValues } from "~/components/schemaForm/fields";

export type Split = "given" | "folds" | "shares";

/** What the form has inputs of its own for; everything else that the server declares is an advanced setting. */
const MAIN = ["encoder", "model", "runs"];
const OF_SPLIT = ["folds", "stratify"];
const OWN = ["methods", "split"];

/** The parameters by where they are on the page. */
export function placed(fields: readonly Field[]) {
  const named = (names: string[]) =>
    names.flatMap((name) => fields.filter((field) => field.name === name));
  const elsewhere = new Set([...MAIN, ...OF_SPLIT, ...OWN]);
  return {
    main: named(MAIN),
    ofSplit: (split: Split) =>
      named(OF_SPLIT).filter(
        ({ name }) => split === "folds" || (split === "shares" && name !== "folds"),
      ),
    advanced: fields.filter(({ name }) => !elsewhere.has(name)),
  };
}

export type Choices = { methods: string[]; split: Split; values: FormValues; seed: string };

/** The form's choices as a request, and a sentence for every field that is wrong. */
export function read(fields: readonly Field[], { methods, split, values, seed }: Choices) {
  const { main, ofSplit, advanced } = placed(fields);
  const { parameters, problems } = readValues([...main, ...ofSplit(split), ...advanced], values);
  if (Number(parameters.search) > 0 && typeof parameters.learning_rate === "number")
    problems.learning_rate = t`With a search, the learning rate is searched. Leave this empty.`;
  if (methods.length === 0) problems.methods = t`Please choose at least one method.`;
  if (!/^\d*$/.test(seed.trim())) problems.seed = t`Enter a whole number, or leave this empty.`;
  return {
    request: { parameters: { ...parameters, methods, split }, seed: Number(seed) },
    problems,
  };
}

/** The methods that the data allow, which are all chosen at first. */
export function applicable({ methods }: TrainingForm): string[] {
  return methods.filter(({ reason }) => reason === "").map(({ name }) => name);
}

/** Where the server's refusal belongs, by its code, if it does not name a field. */
const FIELD_OF: Record<string, string> = {
  unknown_encoder: "encoder",
  cannot_split: "split",
  cannot_train: "methods",
};

/** The server's sentences beside the fields that they are about. */
export function refusedFields(error: unknown): Record<string, string> {
  const found = fieldErrors(error);
  if (Object.keys(found).length > 0 || !(error instanceof ApiError)) return found;
  const field = FIELD_OF[error.code];
  return field ? { [field]: error.message } : {};
}
