import { t } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useParams } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import folds from "~/components/Folds.module.css";
import { JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Note } from "~/components/Note";
import { Page } from "~/components/Page";
import { State } from "~/components/State";
import { moment } from "~/components/words";
import { inARow } from "~/languages/formats";
import { useQuestion, useRun, useRunAct, type Which } from "./calls";
import { CompareWith } from "./comparing/CompareWith";
import { PlanStudy } from "./PlanStudy";
import { Provenance } from "./Provenance";
import { ResultView } from "./ResultView";
import classes from "./ResultView.module.css";
import { plannedInWords } from "./result";
import { parentsOfRun } from "./subject";
import { CopyLink } from "./taking/CopyLink";
import { Taking } from "./taking/Taking";

/** One run: its progress and its result, with everything needed to repeat it. */
export default function RunPage() {
  const { id } = useParams();
  return <OneRun which={useAddress(id)} />;
}

/** A study's run has a readable address; every run also has one that always leads to it. */
function useAddress(id: string | undefined): Which {
  const { slug = "", analysis = "", number = "" } = useParams();
  return id === undefined ? { slug, analysis, number: Number(number) || 0 } : { id };
}

function OneRun({ which }: { which: Which }) {
  const run = useRun(which);
  const title = useQuestion(
    run.data?.analysis ?? ("analysis" in which ? which.analysis : undefined),
  );
  if (run.error && !run.data) {
    return (
      <Page title={title} parents={[{ to: "/", label: t`My studies` }]}>
        <ErrorNotice
          title={t`The run could not be loaded`}
          error={run.error}
          onRetry={() => void run.refetch()}
        />
      </Page>
    );
  }
  if (!run.data) return <Loading />;
  return (
    <Page
      title={title}
      parents={parentsOfRun(run.data)}
      simulated={run.data.is_simulated}
      aside={<State state={run.data.state} />}
    >
      <RunBody key={run.data.id} run={run.data} />
    </Page>
  );
}

function RunBody({ run }: { run: Run }) {
  const cancel = useRunAct(run.id, "cancel");
  const retry = useRunAct(run.id, "retry");
  const isDone = run.state === "succeeded" && run.result !== null;
  return (
    <>
      <JobProgress
        job={run}
        what={t`The analysis`}
        failed={t`The analysis failed`}
        onCancel={() => cancel.mutate()}
        cancelling={cancel.isPending || cancel.isSuccess}
        onRetry={() => {
          cancel.reset();
          retry.mutate();
        }}
      />
      {(cancel.error || retry.error) && <ErrorNotice error={cancel.error ?? retry.error} />}
      {isDone && run.result !== null ? (
        <>
          <Head run={run} />
          <ResultView run={run} result={run.result} />
        </>
      ) : (
        <div className={folds.folds}>
          <Provenance run={run} />
        </div>
      )}
    </>
  );
}

/** Which result this is, and the actions for it. */
function Head({ run }: { run: Run }) {
  const { i18n } = useLingui();
  return (
    <div className={classes.head}>
      <span className={`${classes.which} soft small`}>
        {inARow([
          run.number && t`Result ${run.number}`,
          moment(run.finished_at),
          plannedInWords(run.is_planned),
        ])}
        {i18n.locale !== "en" && (
          <>
            {" · "}
            <Trans>Results are in English so that they can be quoted word for word.</Trans>
          </>
        )}
      </span>
      {run.answers_erased_at && (
        <Note>
          <Trans>
            An answer of this result was erased since, or a text. It cannot be computed again
            exactly.
          </Trans>
        </Note>
      )}
      {run.result && <PlanStudy run={run} result={run.result} />}
      <CompareWith run={run} />
      <CopyLink run={run} />
      <Taking run={run} />
    </div>
  );
}
