import { Button } from "@mantine/core";
import { useState } from "react";
import type { Report } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { moment } from "~/components/words";
import { DecisionDialog } from "./DecisionDialog";
import classes from "./ProblemsTab.module.css";
import { useReportedText, type Verdict } from "./reports";

const REASONS: Record<Report["reason"], string> = {
  unreadable: "The text cannot be read or understood",
  distressing: "The text is distressing",
  identifies_person: "The text identifies a real person",
  other: "Something else",
};

const STATES: Record<Report["state"], string> = {
  open: "Open",
  confirmed: "Confirmed: the text is withdrawn",
  dismissed: "Dismissed: the text stays",
  shown_again: "Shown again",
};

/** What an admin may do next, by what was decided last. */
const NEXT: Record<Report["state"], Verdict[]> = {
  open: ["confirmed", "dismissed"],
  confirmed: ["shown_again"],
  dismissed: ["confirmed"],
  shown_again: ["confirmed"],
};

const ACTS: Record<Verdict, string> = {
  confirmed: "Withdraw the text",
  dismissed: "Dismiss",
  shown_again: "Show the text again",
};

type Props = { slug: string; report: Report; isAdmin: boolean };

/** One report: what, about which text, by whom, and what became of it. */
export function ReportCard({ slug, report, isAdmin }: Props) {
  const [asked, setAsked] = useState<Verdict | null>(null);
  const name = `report-${report.id}`;
  return (
    <article className={classes.report} aria-labelledby={name}>
      <div className={classes.head}>
        <h3 id={name}>{REASONS[report.reason]}</h3>
        <span className={classes.state} data-open={report.state === "open" || undefined}>
          {STATES[report.state]}
        </span>
      </div>
      <p className="soft small">
        Expert {report.expert} on text <code>{report.instance}</code>, {moment(report.at)}
        {report.skipped && ". Skipped by the expert"}
        {report.withdrawn && report.state !== "confirmed" && ". The text is withdrawn"}
      </p>
      {report.remark === null ? (
        <p className="soft">What the expert wrote is shown to admins only.</p>
      ) : (
        report.remark !== "" && <blockquote dir="auto">{report.remark}</blockquote>
      )}
      {report.decided_at && (
        <p className="small">
          {moment(report.decided_at)}
          {report.decided_by && `, ${report.decided_by}`}
          {report.note && `: ${report.note}`}
        </p>
      )}
      <ReportedText slug={slug} report={report} />
      {isAdmin && (
        <div className={classes.buttons}>
          {NEXT[report.state].map((verdict) => (
            <Button key={verdict} variant="default" onClick={() => setAsked(verdict)}>
              {ACTS[verdict]}
            </Button>
          ))}
        </div>
      )}
      <DecisionDialog
        slug={slug}
        report={report}
        verdict={asked}
        title={asked ? ACTS[asked] : ""}
        onClose={() => setAsked(null)}
      />
    </article>
  );
}

/** The text itself only when somebody asks: nobody who reads the list need read what is distressing. */
function ReportedText({ slug, report }: { slug: string; report: Report }) {
  const [isOpen, setOpen] = useState(false);
  const text = useReportedText(slug, report.id, isOpen);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className={classes.text}>
      <summary>Read the text</summary>
      {text.error && <ErrorNotice title="The text cannot be shown" error={text.error} />}
      {text.data?.segments === null && (
        <p className="soft">This text was withdrawn. Admins can read it.</p>
      )}
      <div lang={text.data?.language} dir={text.data?.direction}>
        {text.data?.segments?.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of one text never change places
          <div key={index}>
            {segment.name && <h4>{segment.name}</h4>}
            <p className={classes.words}>{segment.text}</p>
          </div>
        ))}
      </div>
    </details>
  );
}
