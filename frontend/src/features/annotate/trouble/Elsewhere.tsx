import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Page } from "~/components/Page";

/** The study is open in another tab of this browser, and two at once could contradict each other. */
export function Elsewhere({ onTake }: { onTake: () => void }) {
  const { t } = useLingui();
  return (
    <Page title={t`This study is open in another tab`}>
      <p>
        <Trans>
          Continue there, or continue here. Nothing is lost either way: what you have entered there
          is carried over.
        </Trans>
      </p>
      <p>
        <Button onClick={onTake} autoFocus>
          <Trans>Continue here</Trans>
        </Button>
      </p>
    </Page>
  );
}
