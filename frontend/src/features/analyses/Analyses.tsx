import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { Analysis } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Note } from "~/components/Note";
import { Section } from "~/components/Section";
import { isKeptBack } from "./asking/order";
import { Questions } from "./asking/Questions";
import { ResultList } from "./asking/ResultList";
import { StartForm } from "./asking/StartForm";
import { useAnalyses, usePossibleAnalyses, useRuns } from "./calls";
import type { Subject } from "./subject";

/** The questions and their results or, depending on the address, one question's settings. */
export function Analyses({ subject }: { subject: Subject }) {
  const [tell, setTell] = useState(false);
  const [address] = useSearchParams();
  const analyses = usePossibleAnalyses(subject, tell);
  const asked = analyses.data?.find(({ name }) => name === address.get("ask"));
  if (analyses.error)
    return (
      <ErrorNotice
        title={t`The questions could not be loaded`}
        error={analyses.error}
        onRetry={() => void analyses.refetch()}
      />
    );
  if (!analyses.data) return <Loading />;
  if (asked) return <OneQuestion subject={subject} analysis={asked} />;
  return (
    <AllQuestions
      subject={subject}
      analyses={analyses.data}
      tell={tell}
      onTell={() => setTell(true)}
    />
  );
}

function OneQuestion({ subject, analysis }: { subject: Subject; analysis: Analysis }) {
  return (
    <Section
      title={analysis.question}
      aside={
        <Link to="." className="small">
          <Trans>All questions</Trans>
        </Link>
      }
    >
      <StartForm subject={subject} analysis={analysis} />
    </Section>
  );
}

type AllProps = {
  subject: Subject;
  analyses: readonly Analysis[];
  tell: boolean;
  onTell: () => void;
};

function AllQuestions({ subject, analyses, tell, onTell }: AllProps) {
  const runs = useRuns(subject, tell);
  const titleOf = useQuestions();
  const rows = runs.data ?? [];
  return (
    <>
      {isKeptBack(analyses) && (
        <Note>
          <p>
            <Trans>The study is not closed yet, so its results are hidden.</Trans>
          </p>
          <Button variant="default" onClick={onTell}>
            <Trans>Show the results</Trans>
          </Button>{" "}
          <span className="soft small">
            <Trans>The history will show that you looked.</Trans>
          </span>
        </Note>
      )}
      <Questions subject={subject} analyses={analyses} runs={rows} />
      <Section title={t`All runs`}>
        {runs.error && (
          <ErrorNotice
            title={t`The runs could not be loaded`}
            error={runs.error}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.isPending && <Loading />}
        {runs.data && <ResultList runs={rows} titleOf={titleOf} about={subject.kind === "free"} />}
      </Section>
    </>
  );
}

function useQuestions(): (name: string) => string {
  const analyses = useAnalyses().data ?? [];
  const known = new Map(analyses.map((analysis) => [analysis.name, analysis.question]));
  return (name) => known.get(name) ?? name;
}
