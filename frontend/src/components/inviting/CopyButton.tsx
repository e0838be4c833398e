import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useState } from "react";

type Props = { text: string; label: string; spoken?: string };

/** Copies a text; where the browser hands out no clipboard, says so. */
export function CopyButton({ text, label, spoken = label }: Props) {
  const [said, setSaid] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t`Copied`);
    } catch {
      // Without https browsers hand out no clipboard; the text stands above.
      setSaid(t`Please select and copy it by hand`);
    }
  }
  return (
    <>
      <Button variant="default" size="sm" onClick={() => void copy()} aria-label={spoken}>
        {label}
      </Button>
      <span role="status" className="soft small">
        {said}
      </span>
    </>
  );
}
