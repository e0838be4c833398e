import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Link } from "react-router";
import type { Task } from "~/api/types";
import { Dialog } from "~/components/Dialog";
import { SanitisedHtml } from "~/components/SanitisedHtml";
import { Leave } from "./Leave";
import { useWays } from "./ways";

/** The study's instructions, one click away at any time. */
export function Instructions({ study }: { study: Task["study"] }) {
  const { t } = useLingui();
  const [opened, setOpened] = useState(false);
  const { practice, home } = useWays();
  return (
    <>
      <button type="button" className="linklike small" onClick={() => setOpened(true)}>
        <Trans>Instructions</Trans>
      </button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t`Instructions`}
        size="lg"
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        <SanitisedHtml html={study.instructions_html} lang={study.language} dir={study.direction} />
        <p>
          <Link to={practice(study.slug)} onClick={() => setOpened(false)}>
            <Trans>Practise once more</Trans>
          </Link>
        </p>
        {/* A preview does not belong to anybody's account. */}
        {home.to === "/" && (
          <p>
            <Link to={`/studies/${study.slug}/answers`} onClick={() => setOpened(false)}>
              <Trans>My answers</Trans>
            </Link>
          </p>
        )}
        {home.to === "/" && (
          <p>
            <Link to="/account" onClick={() => setOpened(false)}>
              <Trans>Your account</Trans>
            </Link>
          </p>
        )}
        <p>
          <Leave study={study} />
        </p>
      </Dialog>
    </>
  );
}
