import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import classes from "./Tokens.module.css";

type Props = { secret: string; onDone: () => void };

/** The token, once: the server keeps only what it needs to recognise it. */
export function MadeToken({ secret, onDone }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => heading.current?.focus(), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(secret);
      setSaid("Copied");
    } catch {
      // Without https browsers hand out no clipboard; the token stands above.
      setSaid("Please mark it and copy it by hand");
    }
  }

  return (
    <section className={classes.made} aria-labelledby="made">
      <h3 id="made" ref={heading} tabIndex={-1}>
        Your token
      </h3>
      <p>
        It is shown only now. Keep it like a password: in an environment variable or a file that
        only you can read, never in a notebook that you share.
      </p>
      <code className={classes.secret}>{secret}</code>
      <div className={classes.buttons}>
        <Button onClick={() => void copy()}>Copy the token</Button>
        <Button variant="default" onClick={onDone}>
          I have kept it
        </Button>
        <span role="status" className="soft small">
          {said}
        </span>
      </div>
    </section>
  );
}
