import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Issued } from "~/api/types";
import classes from "./Inviting.module.css";

type Props = { issued: readonly Issued[]; onDone: () => void };

/** The links, once: the server keeps only what it needs to recognise them. */
export function IssuedLinks({ issued, onDone }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={classes.issued} aria-labelledby="issued">
      <h3 id="issued" ref={heading} tabIndex={-1}>
        {issued.length === 1 ? "The link" : `${issued.length} links`}
      </h3>
      <p>
        This server sends no mail. Please send each person their message by your own. A link is
        shown only now; should it be lost, make a new one.
      </p>
      <ul className={classes.links}>
        {issued.map((one) => (
          <li key={one.invitation.id}>
            <strong>{one.invitation.email}</strong>
            <code className={classes.link}>{one.link}</code>
            <details>
              <summary>Message</summary>
              <pre dir="auto">{`${one.subject}\n\n${one.text}`}</pre>
            </details>
            <div className={classes.buttons}>
              <CopyButton what="message" to={one.invitation.email} text={one.text} />
              <CopyButton what="link" to={one.invitation.email} text={one.link} />
            </div>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" onClick={onDone}>
          I have sent them
        </Button>
      </div>
    </section>
  );
}

type CopyProps = { what: string; to: string; text: string };

function CopyButton({ what, to, text }: CopyProps) {
  const [said, setSaid] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Without https browsers hand out no clipboard; the text stands above.
      setSaid("Please mark it and copy it by hand");
    }
  }
  return (
    <>
      <Button
        variant="default"
        size="sm"
        onClick={() => void copy()}
        aria-label={`Copy the ${what} for ${to}`}
      >
        Copy the {what}
      </Button>
      <span role="status" className="soft small">
        {said}
      </span>
    </>
  );
}
