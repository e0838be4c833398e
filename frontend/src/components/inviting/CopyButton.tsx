import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useState } from "react";

type Props = { text: string; label: string; spoken?: string };

/** Copies a text; if the browser gives no access to the clipboard, says so. */
export function CopyButton({ text, label, spoken = label }: Props) {
  const [said, setSaid] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t`Copied`);
    } catch {
      // Without https, browsers give no access to the clipboard; the text is above.
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
