import { t } from "@lingui/core/macro";
import { CopyButton } from "@mantine/core";

/** A SHA-256, which nobody reads to the end: its beginning to compare, and all of it to copy. */
export function Fingerprint({ sha256 }: { sha256: string }) {
  return (
    <>
      <code title={sha256}>{sha256.slice(0, 12)}…</code>{" "}
      <CopyButton value={sha256}>
        {({ copied, copy }) => (
          <button type="button" className="linklike small" onClick={copy}>
            {copied ? t`Copied` : t`Copy in full`}
          </button>
        )}
      </CopyButton>
    </>
  );
}
