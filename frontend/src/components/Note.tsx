import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

type Tone = "success" | "warning" | "refusal";

/** A mark and a word besides the colour, so that nobody has to see colours to know the outcome. */
const TONES: Record<Tone, { icon: string; word: MessageDescriptor }> = {
  success: { icon: "✓", word: msg`Success` },
  warning: { icon: "!", word: msg`Nothing new` },
  refusal: { icon: "✕", word: msg`Refused` },
};

type Props = { children: ReactNode; live?: boolean; tone?: Tone };

/** Something worth knowing that is not an error; with a tone, an outcome. */
export function Note({ children, live = false, tone }: Props) {
  const { t } = useLingui();
  return (
    <div className={classes.notice} data-tone={tone} role={live ? "status" : undefined}>
      {tone && (
        <strong>
          <span aria-hidden="true">{TONES[tone].icon}</span> {t(TONES[tone].word)}
        </strong>
      )}
      <div className={tone && classes.said}>{children}</div>
    </div>
  );
}
