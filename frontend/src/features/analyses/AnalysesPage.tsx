import { t } from "@lingui/core/macro";
import { useParams } from "react-router";
import { useDatasets } from "~/api/datasets";
import { Page } from "~/components/Page";
import { Analyses } from "./Analyses";
import { parentsOf, type Subject } from "./subject";

/** The analyses of a dataset or of its votes. */
export function DatasetAnalysesPage() {
  const { slug = "" } = useParams();
  const dataset = useDatasets().data?.find((one) => one.slug === slug);
  return (
    <AnalysesPage
      subject={{ kind: "dataset", slug }}
      name={dataset?.title ?? slug}
      simulated={dataset?.is_simulated ?? false}
    />
  );
}

/** Analyses of several datasets, and simulations. */
export function FreeAnalysesPage() {
  return <AnalysesPage subject={{ kind: "free" }} name="" simulated={false} />;
}

type Props = { subject: Subject; name: string; simulated: boolean };

function AnalysesPage({ subject, name, simulated }: Props) {
  const title = subject.kind === "dataset" && name ? t`Analyses of ${name}` : t`Analyses`;
  return (
    <Page title={title} parents={parentsOf(subject, name)} simulated={simulated}>
      <Analyses subject={subject} />
    </Page>
  );
}
