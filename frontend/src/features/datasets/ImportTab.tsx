import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Section } from "~/components/Section";
import { useLoadedDataset } from "./DatasetLayout";
import { ImportForm } from "./imports/ImportForm";

/** Predictions for this dataset. */
export default function ImportTab() {
  const dataset = useLoadedDataset();
  return (
    <Section title={t`Import predictions`}>
      <p className="soft">
        <Trans>The files are checked first. Nothing is saved until you have seen the report.</Trans>
      </p>
      <ImportForm datasets={[dataset]} predictionsOf={dataset.slug} />
    </Section>
  );
}
