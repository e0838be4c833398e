import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Section } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import classes from "./ProblemsTab.module.css";
import { ReportCard } from "./ReportCard";
import { useReports } from "./reports";

/** What experts reported, newest first, and what admins decide about it. */
export default function ProblemsTab() {
  const { slug, role } = useWorkspaceStudy();
  const [page, setPage] = useState(1);
  const reports = useReports(slug, page);
  return (
    <Section title="Reported problems">
      <p>
        What experts said about texts. Experts are known by their number. A text that identifies a
        person can be withdrawn: no expert of any study on this dataset gets it any more, and what
        was answered stays.
      </p>
      {reports.error && (
        <ErrorNotice
          title="The reports cannot be shown"
          error={reports.error}
          onRetry={() => void reports.refetch()}
        />
      )}
      {reports.isPending && <Loading />}
      {reports.data?.results.length === 0 && <p className="soft">Nothing was reported.</p>}
      {reports.data && (
        <ul className={classes.reports}>
          {reports.data.results.map((report) => (
            <li key={report.id}>
              <ReportCard slug={slug} report={report} isAdmin={role === "admin"} />
            </li>
          ))}
        </ul>
      )}
      {reports.data && (
        <Pager
          page={page}
          isLast={!reports.data.next}
          onPage={setPage}
          names={["Newer", "Older"]}
        />
      )}
    </Section>
  );
}
