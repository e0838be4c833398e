import { Section } from "~/components/Section";
import { useLoadedDataset } from "./DatasetLayout";
import { ImportForm } from "./imports/ImportForm";

/** Predictions for this dataset. */
export default function ImportTab() {
  const dataset = useLoadedDataset();
  return (
    <Section title="Import predictions">
      <p className="soft">
        The files are checked first. Nothing is stored before you have seen the report.
      </p>
      <ImportForm datasets={[dataset]} predictionsOf={dataset.slug} />
    </Section>
  );
}
