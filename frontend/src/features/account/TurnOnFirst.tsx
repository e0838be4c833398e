import { Trans, useLingui } from "@lingui/react/macro";
import { useSignOut } from "~/api/session";
import { Page } from "~/components/Page";
import { SecondFactor } from "./SecondFactor";

/** In place of every page, for people who must have a second factor and have none yet. */
export default function TurnOnFirst() {
  const { t } = useLingui();
  const signOut = useSignOut();
  return (
    <Page title={t`Second factor`}>
      <p>
        <Trans>This server asks you for a second factor. Please set it up to continue.</Trans>
      </p>
      <SecondFactor />
      <div>
        <button type="button" className="linklike" onClick={() => signOut.mutate()}>
          <Trans>Sign out</Trans>
        </button>
      </div>
    </Page>
  );
}
