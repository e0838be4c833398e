import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Run } from "~/api/types";
import { addressOf, readersOf, subjectOf } from "../subject";
import classes from "./Taking.module.css";

/** Copies the address of a result, and says who can open it. */
export function CopyLink({ run }: { run: Run }) {
  const [said, setSaid] = useState("");
  const address = `${window.location.origin}${addressOf(run)}`;
  async function copy() {
    try {
      await navigator.clipboard.writeText(address);
      setSaid(t`Copied.`);
    } catch {
      // Without https, browsers give no access to the clipboard.
      setSaid(t`Copy it by hand: ${address}`);
    }
  }
  return (
    <>
      <Button variant="default" onClick={() => void copy()}>
        <Trans>Copy link</Trans>
      </Button>
      <span role="status" className={classes.said}>
        {said && `${said} ${readersOf(subjectOf(run))}`}
      </span>
    </>
  );
}
