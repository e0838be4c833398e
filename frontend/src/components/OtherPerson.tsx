import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { User } from "~/api/types";
import classes from "./OtherPerson.module.css";

/** Somebody else has signed in in another tab, so this page, which belongs to the previous person, stops here. */
export function OtherPerson({ now }: { now: User }) {
  const { t } = useLingui();
  useDocumentTitle(t`Somebody else is signed in`);
  const who = now.name || now.email;
  return (
    <main id="main" className={classes.main}>
      <h1>
        <Trans>Somebody else is signed in</Trans>
      </h1>
      <p>
        <Trans>
          In another tab of this browser, <bdi>{who}</bdi> has signed in. This page belongs to the
          previous user: nothing on it is shown or sent any longer.
        </Trans>
      </p>
      <p>
        <Trans>
          Answers that have not been saved yet stay on this device. They will be sent when the
          person who gave them signs in here again.
        </Trans>
      </p>
      <Button onClick={() => location.assign("/")} autoFocus className={classes.go}>
        <Trans>
          Continue as <bdi>{who}</bdi>
        </Trans>
      </Button>
    </main>
  );
}
