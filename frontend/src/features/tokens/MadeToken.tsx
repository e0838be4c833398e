import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import classes from "./Tokens.module.css";

type Props = { secret: string; onDone: () => void };

/** The token, shown only once: the server keeps only what it needs to recognise it. */
export function MadeToken({ secret, onDone }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => heading.current?.focus(), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(secret);
      setSaid(t`Copied`);
    } catch {
      // Without https, browsers give no access to the clipboard; the token is above.
      setSaid(t`Please select and copy it by hand`);
    }
  }

  return (
    <section className={classes.made} aria-labelledby="made">
      <h3 id="made" ref={heading} tabIndex={-1}>
        <Trans>Your token</Trans>
      </h3>
      <p>
        <Trans>
          This is the only time it is shown. Store it like a password, in an environment variable or
          a file that only you can read, never in a shared notebook.
        </Trans>
      </p>
      <code className={classes.secret}>{secret}</code>
      <div className={classes.buttons}>
        <Button onClick={() => void copy()}>
          <Trans>Copy the token</Trans>
        </Button>
        <Button variant="default" onClick={onDone}>
          <Trans>I have saved it</Trans>
        </Button>
        <span role="status" className="soft small">
          {said}
        </span>
      </div>
    </section>
  );
}
