import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Section } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import classes from "./ProblemsTab.module.css";
import { ReportCard } from "./ReportCard";
import { useReports } from "./reports";

/** What experts reported, newest first, and what admins decide. */
export default function ProblemsTab() {
  const { t } = useLingui();
  const { slug, role } = useWorkspaceStudy();
  const [page, setPage] = useState(1);
  const reports = useReports(slug, page);
  return (
    <Section title={t`Reported problems`}>
      <p>
        <Trans>
          Problems that experts reported with texts. Experts are identified only by number. You can
          withdraw a text that identifies a person: experts in all studies on this dataset will no
          longer get it. Answers already given are kept.
        </Trans>
      </p>
      {reports.error && (
        <ErrorNotice
          title={t`The reports could not be loaded`}
          error={reports.error}
          onRetry={() => void reports.refetch()}
        />
      )}
      {reports.isPending && <Loading />}
      {reports.data?.results.length === 0 && (
        <p className="soft">
          <Trans>No problems have been reported.</Trans>
        </p>
      )}
      {reports.data && (
        <ul className={classes.reports}>
          {reports.data.results.map((report) => (
            <li key={report.id}>
              <ReportCard slug={slug} report={report} isAdmin={role === "admin"} />
            </li>
          ))}
        </ul>
      )}
      {reports.data && <Pager page={page} isLast={!reports.data.next} onPage={setPage} isByTime />}
    </Section>
  );
}
