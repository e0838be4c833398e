import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { moment } from "~/components/words";
import { inARow } from "~/languages/formats";
import { useRunsOf } from "../calls";
import { plannedInWords } from "../result";
import { addressOfComparison, subjectOf } from "../subject";
import classes from "./Comparing.module.css";

/** Choose another finished run that answers the same question about the same subject. */
export function CompareWith({ run }: { run: Run }) {
  const [opened, setOpened] = useState(false);
  const runs = useRunsOf(subjectOf(run), run.analysis, opened);
  const others = runs.data?.filter(({ id }) => id !== run.id) ?? [];
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        <Trans>Compare</Trans>
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t`Compare with another run`}>
        {runs.error && (
          <ErrorNotice
            title={t`The runs could not be loaded`}
            error={runs.error}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.isPending && <Loading />}
        {runs.data && others.length === 0 && (
          <p>
            <Trans>
              There is no other finished run of this analysis. Run it again with other settings or
              on changed data, then compare.
            </Trans>
          </p>
        )}
        <ul className={classes.choices}>
          {others.map((other) => (
            <li key={other.id}>
              <Link to={addressOfComparison(other, run)}>
                {inARow([other.number && t`Result ${other.number}`, moment(other.finished_at)])}
              </Link>{" "}
              <span className="soft small">
                {inARow([plannedInWords(other.is_planned), t`seed ${other.seed}`])}
              </span>
            </li>
          ))}
        </ul>
      </Modal>
    </>
  );
}
