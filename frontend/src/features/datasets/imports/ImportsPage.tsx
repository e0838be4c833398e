import { Link } from "react-router";
import { useDatasets } from "~/api/datasets";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { ImportForm } from "./ImportForm";
import { RecentImports } from "./RecentImports";

/** Bring data in, and look again at what was brought in. */
export default function ImportsPage() {
  const datasets = useDatasets();
  return (
    <Page title="Import" parents={[{ to: "/datasets", label: "Datasets" }]}>
      <Section title="A new import" aside={<Link to="/tokens">API tokens, for scripts</Link>}>
        <p className="soft">
          Every import is checked first. Nothing is stored before you have seen the report, and
          either all of it is stored or nothing.
        </p>
        <ImportForm datasets={datasets.data ?? []} />
      </Section>
      <RecentImports />
    </Page>
  );
}
