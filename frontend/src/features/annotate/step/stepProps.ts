import type { ReactNode } from "react";
import type { Assignment, Task } from "~/api/types";
import type { Draft } from "~/outbox/drafts";
import type { Frame } from "../frame/frame";

/**
 * What both steps take. They only show and ask: where a draft is kept, and where an answer goes, is the
 * business of the page (the study's outbox, or nothing but a sentence in the practice).
 */
export type StepProps<Entered, Answer> = {
  task: Task;
  assignment: Assignment;
  frame: Frame;
  /** Where the expert stopped before a reload. */
  draft?: Draft<Entered> | null | undefined;
  onDraft?: ((draft: Draft<Entered>) => void) | undefined;
  onSubmit: (answer: Answer) => void;
  /** The text's number for the expert; the one after what is done, if nothing else is said. */
  number?: number | undefined;
  /** What the main button says instead of its usual word. */
  submitWords?: string | undefined;
  /** The answer was given and is on its way: nothing can be changed now. */
  isBusy?: boolean;
  /** What went wrong with the answer, beside the main button. */
  trouble?: ReactNode;
};
