import { Trans } from "@lingui/react/macro";

export function SkipLink() {
  return (
    <a className="skip" href="#main">
      <Trans>Skip to the main content</Trans>
    </a>
  );
}
