import { plural, t } from "@lingui/core/macro";
import type { Training } from "~/api/types";
import { inARow, inDigits, listed } from "~/languages/formats";

type Forecast = NonNullable<Training["forecast"]>;
type UnderWay = Training["standing"]["under_way"][number];

/** Whether a worker has something to do for it. */
export function isUnderWay(state: string): boolean {
  return state === "checking" || state === "training";
}

/** Whether it has been stopped, and a worker has still to notice. */
export function isStopping({ state, standing }: Training): boolean {
  return (state === "stopped" || state === "failed") && standing.under_way.length > 0;
}

/** Whether it changes by itself, so that it is worth looking again. */
export function isChanging(training: Training): boolean {
  return isUnderWay(training.state) || isStopping(training);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** "2 hours", in the unit that fits and no more exact than can be known. */
export function durationInWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => seconds >= 1.5 * one) ?? (["second", 1] as const);
  const amount = Math.max(1, Math.round(seconds / size));
  return inDigits(amount, { style: "unit", unit, unitDisplay: "long" });
}

/** "0.4 GB". */
export function memoryInWords(bytes: number): string {
  return inDigits(Math.max(bytes / 1e9, 0.1), {
    style: "unit",
    unit: "gigabyte",
    maximumFractionDigits: 1,
    minimumFractionDigits: 1,
  });
}

export function countOfModels(count: number): string {
  return plural(count, { one: "# model", other: "# models" });
}

/** What a training will take, in one sentence. */
export function forecastInWords({ fits, seconds, peak_bytes, free_bytes }: Forecast): string {
  const time = durationInWords(seconds);
  const memory = memoryInWords(peak_bytes);
  const free = memoryInWords(free_bytes);
  const models = countOfModels(fits);
  return fits === 1
    ? t`Training one model takes about ${time} and up to ${memory} of memory (${free} are free).`
    : t`Training ${models} takes about ${time} if one follows the other, and up to ${memory} of memory for each (${free} are free).`;
}

/** What a researcher should know besides before it starts. */
export function forecastRemarks(training: Training): string[] {
  const { forecast, parameters } = training;
  if (!forecast) return [];
  const { cut, texts, trained, parameters: weights } = forecast;
  const tokens = inDigits(Number(parameters.max_tokens));
  const [some, all, ofAll] = [inDigits(trained), inDigits(weights), inDigits(texts)];
  return [
    trained < weights ? t`${some} of the model’s ${all} weights are trained.` : "",
    cut > 0
      ? plural(cut, {
          one: `# of ${ofAll} texts is longer than ${tokens} tokens and will be cut.`,
          other: `# of ${ofAll} texts are longer than ${tokens} tokens and will be cut.`,
        })
      : "",
  ].filter(Boolean);
}

export function needsTooMuch({ peak_bytes, free_bytes }: Forecast): boolean {
  return peak_bytes > free_bytes;
}

/** "SL, run 2 of 3, fold 4 of 10": what a worker does now. */
export function underWayInWords(one: UnderWay, training: Training): string {
  const { method, fold } = one;
  const run = inDigits(one.run);
  const runs = inDigits(Number(training.parameters.runs));
  const { folds } = training.split;
  const [here, all] = [inDigits(fold), inDigits(folds)];
  return inARow([
    method,
    one.kind === "search" && t`search for settings`,
    one.run > 0 && t`run ${run} of ${runs}`,
    folds > 1 && t`fold ${here} of ${all}`,
  ]);
}

/** Where the texts that a system predicts are kept apart from those it learns from. */
export function splitInWords(kind: string, folds: number): string {
  if (kind === "given") return t`as the files say`;
  if (kind === "shares") return t`8:1:1 for training, development and test`;
  return kind === "folds" ? plural(folds, { one: "# fold", other: "# folds" }) : kind;
}

/** The methods by name, if they are few. */
export function methodsInWords(methods: readonly string[], most = 4): string {
  return methods.length <= most
    ? listed(methods)
    : plural(methods.length, { one: "# method", other: "# methods" });
}

/** How many models a training fits, and why: "84 models: 14 methods × 3 runs × 2 folds". */
export function workInWords(methods: number, runs: number, folds: number, search: number): string {
  const models = countOfModels(methods * (runs + search) * folds);
  const parts = [
    plural(methods, { one: "# method", other: "# methods" }),
    search > 0
      ? `(${plural(runs, { one: "# run", other: "# runs" })} + ${plural(search, { one: "# trial", other: "# trials" })})`
      : plural(runs, { one: "# run", other: "# runs" }),
    folds > 1 && plural(folds, { one: "# fold", other: "# folds" }),
  ];
  const product = parts.filter(Boolean).join(" × ");
  return t`${models} to train: ${product}`;
}

/** A parameter's value as people read it. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return t`not set`;
  if (typeof value === "boolean") return value ? t`Yes` : t`No`;
  if (typeof value === "number") return inDigits(value, { maximumSignificantDigits: 6 });
  return Array.isArray(value) ? inARow(value.map(valueInWords)) : String(value);
}
