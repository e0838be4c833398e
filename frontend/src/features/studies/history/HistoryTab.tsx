import { Button } from "@mantine/core";
import { useState } from "react";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { Table } from "~/components/Table";
import { moment, readable } from "~/components/words";
import { useEvents } from "../calls";
import classes from "../StudyPage.module.css";
import { useWorkspaceStudy } from "../workspace/workspace";

/** The log: who did what, when. Nobody can change it. */
export default function HistoryTab() {
  const { slug } = useWorkspaceStudy();
  const [page, setPage] = useState(1);
  const events = useEvents(slug, page);
  return (
    <Section title="Event log">
      <p>
        Every act that matters is one line here, and no line is ever changed.{" "}
        <Download href={`/api/v1/studies/${slug}/events/?format=csv`}>Download all as CSV</Download>
      </p>
      {events.error && (
        <ErrorNotice
          title="The log cannot be shown"
          error={events.error}
          onRetry={() => void events.refetch()}
        />
      )}
      {events.isPending && <Loading />}
      {events.data && (
        <>
          <Table
            caption="Events, newest first"
            rows={events.data.results}
            keyOf={(_, index) => index}
            empty="Nothing has happened yet."
            columns={[
              { name: "When", numeric: true, cell: (event) => moment(event.at) },
              { name: "What", heads: true, cell: (event) => readable(event.action) },
              { name: "Who", cell: (event) => event.actor || "The system" },
              { name: "Details", cell: (event) => detailsInWords(event.details) },
            ]}
          />
          {(events.data.previous || events.data.next) && (
            <div className={classes.pages}>
              <Button
                variant="default"
                disabled={!events.data.previous}
                onClick={() => setPage(page - 1)}
              >
                Newer
              </Button>
              <Button
                variant="default"
                disabled={!events.data.next}
                onClick={() => setPage(page + 1)}
              >
                Older
              </Button>
              <span className="soft small">Page {page}</span>
            </div>
          )}
        </>
      )}
    </Section>
  );
}

/** Counts and names as "name: value", without the brackets of a machine. */
function detailsInWords(details: unknown): string {
  if (typeof details !== "object" || details === null) return String(details ?? "");
  return Object.entries(details)
    .map(([name, value]) => {
      const words = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
      return `${readable(name).toLowerCase()}: ${words}`;
    })
    .join(", ");
}
