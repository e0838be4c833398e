import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StudyEvent } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Section } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import { EVERYTHING, type HistoryFilters, useHistory, useHistorySummary } from "./calls";
import { byDay, clock, detailsOf } from "./days";
import classes from "./History.module.css";

/** The log: who did what, when. Nobody can change it. */
export default function HistoryTab() {
  const { slug } = useWorkspaceStudy();
  const [filters, setFilters] = useState(EVERYTHING);
  const [page, setPage] = useState(1);
  const events = useHistory(slug, filters, page);
  const isNarrowed = Object.values(filters).some((value) => value !== "");
  const narrow = (change: Partial<HistoryFilters>) => {
    setFilters({ ...filters, ...change });
    setPage(1);
  };
  return (
    <Section title="Event log">
      <p>
        Every act that matters is one line here, and no line is ever changed.{" "}
        <Download href={`/api/v1/studies/${slug}/events/file/`}>Download all as CSV</Download>
      </p>
      <Filters slug={slug} filters={filters} onChange={narrow} />
      {events.error && (
        <ErrorNotice
          title="The log cannot be shown"
          error={events.error}
          onRetry={() => void events.refetch()}
        />
      )}
      {events.isPending && <Loading />}
      {events.data?.count === 0 && (
        <p className="soft" role="status">
          {isNarrowed ? "Nothing fits these filters." : "Nothing has happened yet."}
        </p>
      )}
      {isNarrowed && (
        <p>
          <Button variant="default" onClick={() => narrow(EVERYTHING)}>
            Show everything
          </Button>
        </p>
      )}
      {events.data && <Days events={events.data.results} />}
      {events.data && (
        <Pager
          page={page}
          isLast={!events.data.next}
          onPage={setPage}
          says={`, ${events.data.count.toLocaleString("en-GB")} in all`}
          names={["Newer", "Older"]}
        />
      )}
    </Section>
  );
}

type FiltersProps = {
  slug: string;
  filters: HistoryFilters;
  onChange: (change: Partial<HistoryFilters>) => void;
};

function Filters({ slug, filters, onChange }: FiltersProps) {
  const { data } = useHistorySummary(slug);
  return (
    <div className={classes.filters}>
      <NativeSelect
        label="What was done"
        value={filters.action}
        onChange={(event) => onChange({ action: event.currentTarget.value })}
        data={[
          { value: "", label: "Everything" },
          ...(data?.acts ?? []).map((one) => ({
            value: one.action,
            label: `${one.title} (${one.count})`,
          })),
        ]}
      />
      <NativeSelect
        label="By whom"
        value={filters.actor}
        onChange={(event) => onChange({ actor: event.currentTarget.value })}
        data={[
          { value: "", label: "Everybody" },
          ...(data?.people ?? [])
            .filter((one) => one.actor)
            .map((one) => ({ value: one.actor, label: `${one.person} (${one.count})` })),
        ]}
      />
      <TextInput
        type="date"
        label="From"
        value={filters.from}
        max={filters.to || undefined}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Up to"
        value={filters.to}
        min={filters.from || undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    </div>
  );
}

function Days({ events }: { events: readonly StudyEvent[] }) {
  return (
    <div className={classes.days}>
      {byDay(events).map(({ day, events }) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          <ul className={classes.events}>
            {events.map((event) => (
              <li key={event.id} className={classes.event}>
                <time dateTime={event.at} className="soft small">
                  {clock(event.at)}
                </time>
                <div>
                  <div>{event.sentence}</div>
                  <Details details={event.details} />
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Details({ details }: { details: unknown }) {
  const pairs = detailsOf(details);
  if (pairs.length === 0) return null;
  return (
    <details className={classes.details}>
      <summary>Details</summary>
      <dl>
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
