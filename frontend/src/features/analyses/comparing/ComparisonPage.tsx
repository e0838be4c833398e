import { t } from "@lingui/core/macro";
import { useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useComparison, useQuestion, useRun } from "../calls";
import { parentsOfRun } from "../subject";
import { Comparison } from "./Comparison";

/** Two runs of one question side by side. */
export default function ComparisonPage() {
  const { id, other = "", slug = "", analysis = "", number, earlier } = useParams();
  if (id !== undefined) return <SideBySide first={id} second={other} />;
  return <OfStudy slug={slug} analysis={analysis} numbers={[Number(earlier), Number(number)]} />;
}

type OfStudyProps = { slug: string; analysis: string; numbers: [first: number, second: number] };

/** Two of a study's results, by number. */
function OfStudy({ slug, analysis, numbers }: OfStudyProps) {
  const first = useRun({ slug, analysis, number: numbers[0] || 0 });
  const second = useRun({ slug, analysis, number: numbers[1] || 0 });
  const missing = [first, second].find(({ error }) => error);
  if (missing) return <NotCompared error={missing.error} onRetry={() => void missing.refetch()} />;
  if (!first.data || !second.data) return <Loading />;
  return <SideBySide first={first.data.id} second={second.data.id} />;
}

function SideBySide({ first, second }: { first: string; second: string }) {
  const comparison = useComparison(first, second);
  const title = useQuestion(comparison.data?.second.analysis);
  if (comparison.error)
    return <NotCompared error={comparison.error} onRetry={() => void comparison.refetch()} />;
  if (!comparison.data) return <Loading />;
  return (
    <Page
      title={t`${title} Two results side by side`}
      parents={parentsOfRun(comparison.data.second)}
      simulated={comparison.data.first.is_simulated || comparison.data.second.is_simulated}
    >
      <Comparison comparison={comparison.data} />
    </Page>
  );
}

function NotCompared({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Page title={t`Two results side by side`} parents={[{ to: "/", label: t`My studies` }]}>
      <ErrorNotice title={t`They cannot be compared`} error={error} onRetry={onRetry} />
    </Page>
  );
}
