import { i18n } from "@lingui/core";
import type { Task } from "~/api/types";

/** What an expert was shown when they answered; stored with the answer. */
export function seen({ study }: Task) {
  return { instrument_version: study.instrument_version, page_language: i18n.locale };
}
