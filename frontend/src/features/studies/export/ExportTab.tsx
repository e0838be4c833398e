import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "react-router";
import { Section } from "~/components/Section";
import { Documents } from "../Documents";
import { useWorkspaceStudy } from "../workspace/workspace";
import { ExportFiles } from "./ExportFiles";
import { ExportForm } from "./ExportForm";

/** Everything that can be exported. */
export default function ExportTab() {
  const { t } = useLingui();
  const { slug, role, state } = useWorkspaceStudy();
  return (
    <>
      <Section
        title={t`Exports`}
        id="exports"
        aside={
          <Link to="/tokens">
            <Trans>API tokens for scripts and notebooks</Trans>
          </Link>
        }
      >
        <p className="soft">
          <Trans>Exported files show which side was which. Experts appear by number only.</Trans>{" "}
          {state !== "closed" && (
            <Trans>
              The study is not closed yet, so the history will record that you saw unblinded
              answers.
            </Trans>
          )}
        </p>
        <ExportForm slug={slug} isAdmin={role === "admin"} />
      </Section>
      <Section title={t`Exported files`} id="export-files">
        <ExportFiles slug={slug} />
      </Section>
      <Section title={t`Report and bundle`} id="documents">
        <Documents slug={slug} />
      </Section>
    </>
  );
}
