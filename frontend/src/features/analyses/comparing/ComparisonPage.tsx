import { useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useComparison, useQuestion } from "../calls";
import { parentsOfRun } from "../subject";
import { Comparison } from "./Comparison";

/** Two runs of one question side by side. */
export default function ComparisonPage() {
  const { id = "", other = "" } = useParams();
  const comparison = useComparison(id, other);
  const title = useQuestion(comparison.data?.second.analysis);
  if (comparison.error) {
    return (
      <Page title="Two results side by side" parents={[{ to: "/", label: "My studies" }]}>
        <ErrorNotice
          title="They cannot be compared"
          error={comparison.error}
          onRetry={() => void comparison.refetch()}
        />
      </Page>
    );
  }
  if (!comparison.data) return <Loading />;
  return (
    <Page
      title={`${title} Two results side by side`}
      parents={parentsOfRun(comparison.data.second)}
      simulated={comparison.data.first.is_simulated || comparison.data.second.is_simulated}
    >
      <Comparison comparison={comparison.data} />
    </Page>
  );
}
