import { useLingui } from "@lingui/react/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useId } from "react";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { SanitisedHtml } from "~/components/SanitisedHtml";
import { useMarkdown } from "./calls";
import classes from "./Setup.module.css";

/** While somebody types, not every letter triggers a request. */
const PAUSE_MS = 400;

type Props = {
  title: string;
  markdown: string;
  study: Study;
  /** Shown if nothing has been written. */
  children: ReactNode;
};

/** What is being written, as experts will read it. */
export function Shown({ title, markdown, study, children }: Props) {
  const { t } = useLingui();
  const heading = useId();
  const [written] = useDebouncedValue(markdown, PAUSE_MS);
  const shown = useMarkdown(written);
  const direction =
    study.direction === "ltr" || study.direction === "rtl" ? study.direction : "auto";
  return (
    <section className={classes.shown} aria-labelledby={heading}>
      <h3 id={heading}>{title}</h3>
      {shown.error && (
        <ErrorNotice
          title={t`This text could not be loaded`}
          error={shown.error}
          onRetry={() => void shown.refetch()}
        />
      )}
      {written.trim() === "" ? (
        <p className="soft">{children}</p>
      ) : (
        shown.data && (
          <SanitisedHtml
            html={shown.data.html}
            lang={study.language || undefined}
            dir={direction}
          />
        )
      )}
    </section>
  );
}
