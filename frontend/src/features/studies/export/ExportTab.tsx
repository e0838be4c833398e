import { Link } from "react-router";
import { Section } from "~/components/Section";
import { Documents } from "../Documents";
import { ExportList } from "../ExportList";
import { useWorkspaceStudy } from "../workspace/workspace";

/** What there is to take away. */
export default function ExportTab() {
  const { slug } = useWorkspaceStudy();
  return (
    <>
      <Section
        title="Exports"
        id="exports"
        aside={<Link to="/tokens">API tokens, for scripts and notebooks</Link>}
      >
        <ExportList slug={slug} />
      </Section>
      <Section title="Report and bundle" id="documents">
        <Documents slug={slug} />
      </Section>
    </>
  );
}
