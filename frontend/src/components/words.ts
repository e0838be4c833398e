import type { MessageDescriptor } from "@lingui/core";
import { i18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";

export { fileSize as sizeInWords, moment } from "~/languages/formats";

// The server's short codes in the pages' words.

const STUDY_STATES: Record<string, MessageDescriptor> = {
  draft: msg({ message: "Draft", context: "state of a study" }),
  pilot: msg({ message: "Pilot", context: "state of a study" }),
  open: msg({ message: "Open", context: "state of a study" }),
  paused: msg({ message: "Paused", context: "state of a study" }),
  closed: msg({ message: "Closed", context: "state of a study" }),
};

const JOB_STATES: Record<string, MessageDescriptor> = {
  queued: msg({ message: "Waiting", context: "state of a job" }),
  running: msg({ message: "Running", context: "state of a job" }),
  succeeded: msg({ message: "Finished", context: "state of a job" }),
  failed: msg({ message: "Failed", context: "state of a job" }),
  cancelled: msg({ message: "Cancelled", context: "state of a job" }),
};

const TRAINING_STATES: Record<string, MessageDescriptor> = {
  checking: msg({ message: "Being checked", context: "state of a training" }),
  ready: msg({ message: "Ready to start", context: "state of a training" }),
  training: msg({ message: "Training", context: "state of a training" }),
  finished: msg({ message: "Finished", context: "state of a training" }),
  stopped: msg({ message: "Stopped", context: "state of a training" }),
};

export function stateInWords(state: string): string {
  const words = STUDY_STATES[state] ?? JOB_STATES[state] ?? TRAINING_STATES[state];
  return words ? i18n._(words) : state;
}

/** "circumstances_known" -> "Circumstances known": for codes without their own words. */
export function readable(code: string): string {
  const spaced = code.replaceAll("_", " ").replaceAll("-", " ").trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
