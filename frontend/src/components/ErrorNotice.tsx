import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

type Props = {
  /** What did not happen, in plain words. */
  title?: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
};

/** An error in plain words and, where it helps, a way to try again. */
export function ErrorNotice({ title, error, onRetry, children }: Props) {
  const { t } = useLingui();
  const sentence = error instanceof Error ? error.message : String(error);
  return (
    <div className={`${classes.notice} ${classes.alarm}`} role="alert">
      <div>
        <strong>{title ?? t`This did not work`}</strong>
        <p>{sentence}</p>
        {children}
      </div>
      {onRetry && (
        <Button variant="default" onClick={onRetry} className={classes.action}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}
