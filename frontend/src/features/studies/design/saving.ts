import { useDebouncedCallback } from "@mantine/hooks";
import { createContext, useContext, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { Settings, Study } from "~/api/types";
import { useChangeSettings, useWithUnsaved } from "./calls";

/** Long enough to continue typing, short enough that nothing is lost. */
const PAUSE_MS = 700;

/** How the fields of a set-up are saved. */
export type Saving = {
  /** As it will be when all that is on its way is saved. */
  study: Study;
  save: (settings: Settings) => void;
  problems: Record<string, string>;
};

/** Saves a draft while typing, and knows when it last did and what was refused. */
export function useSaving(study: Study) {
  const change = useChangeSettings(study.slug);
  const draft = useWithUnsaved(study);
  const [savedAt, setSavedAt] = useState<Date | null>(null);
  const save = (settings: Settings) =>
    change.mutate(settings, { onSuccess: () => setSavedAt(new Date()) });
  return {
    draft,
    save,
    savedAt,
    isSaving: change.isPending,
    error: change.error,
    problems: fieldErrors(change.error),
  };
}

export const SavingContext = createContext<Saving | null>(null);

/** The draft that a field belongs to. */
export function useDraft(): Study {
  const saving = useContext(SavingContext);
  if (!saving) throw new Error("Outside of a set-up");
  return saving.study;
}

/** One setting as shown in its field: what is being typed, saved after a pause and when the field is left. */
export function useSetting<Name extends keyof Settings & keyof Study>(name: Name) {
  const saving = useContext(SavingContext);
  if (!saving) throw new Error("Outside of a set-up");
  const { study, problems } = saving;
  const [value, setValue] = useState(study[name]);
  const later = useDebouncedCallback(
    (next: Study[Name]) => saving.save({ [name]: next } as Settings),
    { delay: PAUSE_MS, flushOnUnmount: true },
  );
  return {
    value,
    problem: problems[name],
    /** For what is typed. */
    type: (next: Study[Name]) => {
      setValue(next);
      later(next);
    },
    /** For what is chosen. */
    choose: (next: Study[Name]) => {
      setValue(next);
      saving.save({ [name]: next } as Settings);
    },
    leave: () => later.flush(),
  };
}
