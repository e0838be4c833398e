import { Button } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { State } from "~/components/State";
import { readable } from "~/components/words";
import { useAnalyses, useRerun, useRun, useRunAct } from "./calls";
import { FigureView } from "./FigureView";
import { Provenance } from "./Provenance";
import { ResultView } from "./ResultView";
import classes from "./ResultView.module.css";
import { RunLog } from "./RunLog";
import { pageOf, parentsOf, subjectOf } from "./subject";

/** One run: how far it is, and what came out, with everything that is needed to repeat it. */
export default function RunPage() {
  const { id = "" } = useParams();
  const run = useRun(id);
  const parents = run.data ? parentsOfRun(run.data) : [{ to: "/", label: "My studies" }];
  const title = useTitle(run.data?.analysis);
  if (run.error && !run.data) {
    return (
      <Page title="Analysis" parents={parents}>
        <ErrorNotice
          title="The run cannot be shown"
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
      parents={parents}
      simulated={run.data.is_simulated}
      aside={<State state={run.data.state} />}
    >
      <RunBody run={run.data} />
    </Page>
  );
}

function RunBody({ run }: { run: Run }) {
  const cancel = useRunAct(run.id, "cancel");
  const retry = useRunAct(run.id, "retry");
  return (
    <>
      <JobProgress
        job={run}
        what="The analysis"
        onCancel={() => cancel.mutate()}
        cancelling={cancel.isPending || cancel.isSuccess}
        onRetry={() => {
          cancel.reset();
          retry.mutate();
        }}
      />
      {(cancel.error || retry.error) && <ErrorNotice error={cancel.error ?? retry.error} />}
      {run.state === "succeeded" && run.result !== null && (
        <>
          {run.answer && <p className={classes.answer}>{run.answer}</p>}
          {run.figures.length > 0 && <FigureView id={run.id} names={run.figures} />}
          <ResultView id={run.id} result={run.result} />
        </>
      )}
      <Provenance run={run} />
      <RunLog lines={run.log} />
      {run.state === "succeeded" && <Again id={run.id} />}
    </>
  );
}

/** Asks for the same numbers once more: they must come out equal, or the data have changed. */
function Again({ id }: { id: string }) {
  const again = useRerun(id);
  const navigate = useNavigate();
  return (
    <div>
      <Button
        variant="default"
        disabled={again.isPending}
        onClick={() =>
          again.mutate(undefined, { onSuccess: (run) => void navigate(`/runs/${run.id}`) })
        }
      >
        {again.isPending ? "Starting…" : "Compute again"}
      </Button>
      {again.error && <ErrorNotice title="It was not started" error={again.error} />}
    </div>
  );
}

function parentsOfRun(run: Run) {
  const subject = subjectOf(run);
  const labels = { study: "Results", dataset: `Analyses of ${run.about}`, free: "Analyses" };
  return [...parentsOf(subject, run.about), { to: pageOf(subject), label: labels[subject.kind] }];
}

function useTitle(name: string | undefined): string {
  const analyses = useAnalyses();
  if (!name) return "Analysis";
  return analyses.data?.find((one) => one.name === name)?.question ?? readable(name);
}
