import { Button } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useStudy } from "./calls";
import { ReportCard } from "./ReportCard";
import classes from "./ReportsPage.module.css";
import { useReports } from "./reports";
import pages from "./StudyPage.module.css";

/** What experts reported, newest first, and what admins decide about it. */
export default function ReportsPage() {
  const { slug = "" } = useParams();
  const [page, setPage] = useState(1);
  const study = useStudy(slug);
  const reports = useReports(slug, page);
  const parents = [
    { to: "/", label: "My studies" },
    { to: `/studies/${slug}`, label: study.data?.title ?? "Study" },
  ];
  const error = study.error ?? reports.error;
  return (
    <Page title="Reported problems" parents={parents} simulated={study.data?.is_simulated ?? false}>
      <p>
        What experts said about texts. Experts are known by their number. A text that identifies a
        person can be withdrawn: no expert of any study on this dataset gets it any more, and what
        was answered stays.
      </p>
      {error && (
        <ErrorNotice
          title="The reports cannot be shown"
          error={error}
          onRetry={() => void reports.refetch()}
        />
      )}
      {!error && (!reports.data || !study.data) && <Loading />}
      {study.data && reports.data?.results.length === 0 && (
        <p className="soft">Nothing was reported.</p>
      )}
      {study.data && reports.data && (
        <ul className={classes.reports}>
          {reports.data.results.map((report) => (
            <li key={report.id}>
              <ReportCard slug={slug} report={report} isAdmin={study.data.role === "admin"} />
            </li>
          ))}
        </ul>
      )}
      {(reports.data?.previous || reports.data?.next) && (
        <div className={pages.pages}>
          <Button
            variant="default"
            disabled={!reports.data.previous}
            onClick={() => setPage(page - 1)}
          >
            Newer
          </Button>
          <Button variant="default" disabled={!reports.data.next} onClick={() => setPage(page + 1)}>
            Older
          </Button>
          <span className="soft small">Page {page}</span>
        </div>
      )}
    </Page>
  );
}
