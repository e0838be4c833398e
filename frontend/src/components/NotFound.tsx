import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "react-router";
import { Page } from "./Page";

export function NotFound() {
  const { t } = useLingui();
  return (
    <Page title={t`Page not found`}>
      <p>
        <Trans>There is nothing at this address, or you may not see it.</Trans>
      </p>
      <p>
        <Link to="/">
          <Trans>Go to my studies</Trans>
        </Link>
      </p>
    </Page>
  );
}
