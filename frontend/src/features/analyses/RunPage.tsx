import { useParams } from "react-router";
import { useStudyCard } from "~/api/studies";
import type { Run } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { readable } from "~/components/words";
import { useAnalyses, useRun, useRunAct } from "./calls";
import { FigureView } from "./FigureView";
import { Provenance } from "./Provenance";
import { ResultView } from "./ResultView";

/** One run: how far it is, and what came out, with everything that is needed to repeat it. */
export default function RunPage() {
  const { id = "" } = useParams();
  const run = useRun(id);
  const study = useStudyCard(run.data?.study);
  const parents = [
    { to: "/", label: "My studies" },
    ...(run.data
      ? [
          { to: `/studies/${run.data.study}`, label: study?.title ?? "Study" },
          { to: `/studies/${run.data.study}/analyses`, label: "Analyses" },
        ]
      : []),
  ];
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
      {run.state === "succeeded" && (
        <>
          {run.figures.length > 0 && <FigureView id={run.id} names={run.figures} />}
          <Section
            title="Result"
            aside={
              <Download href={`/api/runs/${run.id}/table/?format=csv`}>Download as CSV</Download>
            }
          >
            <ResultView result={run.result} />
          </Section>
        </>
      )}
      <Provenance run={run} />
    </>
  );
}

function useTitle(name: string | undefined): string {
  const analyses = useAnalyses();
  if (!name) return "Analysis";
  return analyses.data?.find((one) => one.name === name)?.title ?? readable(name);
}
