import { Link } from "react-router";
import { Section } from "~/components/Section";
import { Documents } from "../Documents";
import { useWorkspaceStudy } from "../workspace/workspace";
import { ExportFiles } from "./ExportFiles";
import { ExportForm } from "./ExportForm";

/** What there is to take away. */
export default function ExportTab() {
  const { slug, role, state } = useWorkspaceStudy();
  return (
    <>
      <Section
        title="Exports"
        id="exports"
        aside={<Link to="/tokens">API tokens, for scripts and notebooks</Link>}
      >
        <p className="soft">
          A file shows which side was which, and knows experts by number.
          {state !== "closed" &&
            " The study is not closed, so the event log will say that you looked at unblinded answers."}
        </p>
        <ExportForm slug={slug} isAdmin={role === "admin"} />
      </Section>
      <Section title="Exported files" id="export-files">
        <ExportFiles slug={slug} />
      </Section>
      <Section title="Report and bundle" id="documents">
        <Documents slug={slug} />
      </Section>
    </>
  );
}
