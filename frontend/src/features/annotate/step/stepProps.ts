import type { ReactNode } from "react";
import type { Assignment, Task } from "~/api/types";
import type { Draft } from "~/outbox/drafts";
import type { Frame } from "../frame/frame";

/**
 * The props of both steps. They only show and ask: the page decides where a draft is kept and where an
 * answer goes (to the study's outbox or, in the practice, nowhere).
 */
export type StepProps<Entered, Answer> = {
  task: Task;
  assignment: Assignment;
  frame: Frame;
  /** What the expert had entered before a reload. */
  draft?: Draft<Entered> | null | undefined;
  onDraft?: ((draft: Draft<Entered>) => void) | undefined;
  onSubmit: (answer: Answer) => void;
  /** The text's number for the expert; by default the one after those done. */
  number?: number | undefined;
  /** The main button's label, instead of the usual one. */
  submitWords?: string | undefined;
  /** Whether the answer is being sent, so that nothing can be changed now. */
  isBusy?: boolean;
  /** What went wrong with the answer, shown beside the main button. */
  trouble?: ReactNode;
};
