import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link } from "react-router";

/** The link to the pages that experts will see. */
export function TryIt({ slug }: { slug: string }) {
  return (
    <Button component={Link} to={`/studies/${slug}/preview`} variant="default">
      <Trans>Try it as an expert</Trans>
    </Button>
  );
}
