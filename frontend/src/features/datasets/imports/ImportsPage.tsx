import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "react-router";
import { useDatasets } from "~/api/datasets";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { ImportForm } from "./ImportForm";
import { RecentImports } from "./RecentImports";

/** Import data, and review earlier imports. */
export default function ImportsPage() {
  const datasets = useDatasets();
  return (
    <Page title={t`Import`} parents={[{ to: "/datasets", label: t`Datasets` }]}>
      <Section
        title={t`New import`}
        aside={
          <Link to="/tokens">
            <Trans>API tokens, for scripts</Trans>
          </Link>
        }
      >
        <p className="soft">
          <Trans>
            Every import is checked first. Nothing is saved until you have seen the report, and an
            import is saved completely or not at all.
          </Trans>
        </p>
        <ImportForm datasets={datasets.data ?? []} />
      </Section>
      <RecentImports />
    </Page>
  );
}
