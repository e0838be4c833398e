import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Note } from "~/components/Note";
import { Section } from "~/components/Section";
import { counted, moment } from "~/components/words";
import { useWorkspaceStudy } from "../workspace/workspace";
import classes from "./AssignmentsTab.module.css";
import { type AssignmentRow, ROWS, useAct, useAssignments, useSummary } from "./calls";
import { PlaceButtons } from "./PlaceButtons";
import { Upload } from "./Upload";

const STATES = [
  { value: "", label: "Any state" },
  { value: "free", label: "With a free place" },
  { value: "given", label: "Given, not begun" },
  { value: "in_hand", label: "In hand" },
  { value: "answered", label: "Answered" },
  { value: "skipped", label: "Skipped" },
];

/** Who answers which comparison: looked at by comparison, and changed by whoever administers the study. */
export default function AssignmentsTab() {
  const { slug, role, state: studyState } = useWorkspaceStudy();
  const [filters, setFilters] = useState({ expert: "", state: "", search: "", page: 1 });
  const [search] = useDebouncedValue(filters.search, 250);
  const listed = useAssignments(slug, { ...filters, search });
  const summary = useSummary(slug);
  const act = useAct(slug);
  const [comparisons, setComparisons] = useState<ReadonlySet<number>>(new Set());
  const [places, setPlaces] = useState<ReadonlySet<number>>(new Set());
  const [whom, setWhom] = useState("");
  const mayChange = role === "admin" && studyState !== "closed";
  const experts = summary.data?.experts ?? [];
  const active = experts.filter((expert) => expert.is_active);
  const pages = Math.max(1, Math.ceil((listed.data?.count ?? 0) / ROWS));
  const narrow = (change: Partial<typeof filters>) => {
    setFilters({ ...filters, page: 1, ...change });
    clear();
  };
  const clear = () => {
    setComparisons(new Set());
    setPlaces(new Set());
  };
  const run = (what: Parameters<typeof act.mutate>[0]) => act.mutate(what, { onSuccess: clear });
  const last = summary.data?.last;

  return (
    <Section title="Assignments">
      {summary.data && (
        <p>
          {counted(summary.data.free, "place is", "places are")} free of{" "}
          {summary.data.places.toLocaleString("en-GB")}, in{" "}
          {counted(summary.data.comparisons, "comparison")}.
        </p>
      )}
      {mayChange && last && (
        <Note live>
          {last.sentence} {moment(last.at)}{" "}
          <button
            type="button"
            className="linklike"
            disabled={act.isPending}
            onClick={() => run({ what: "undo", event: last.event })}
          >
            Undo
          </button>
        </Note>
      )}
      {act.error && <ErrorNotice title="Nothing was changed" error={act.error} />}
      <div className={classes.filters}>
        <TextInput
          label="Find a text"
          placeholder="Its id, or the comparison’s number"
          value={filters.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <NativeSelect
          label="Expert"
          value={filters.expert}
          onChange={(event) => narrow({ expert: event.currentTarget.value })}
          data={[
            { value: "", label: "All experts" },
            ...experts.map((one) => ({
              value: String(one.number),
              label: `Expert ${one.number} (${one.answered} answered, ${one.given + one.in_hand} open)`,
            })),
          ]}
        />
        <NativeSelect
          label="State"
          value={filters.state}
          onChange={(event) => narrow({ state: event.currentTarget.value })}
          data={STATES}
        />
      </div>
      {(listed.isPending || summary.isPending) && <Loading />}
      {(listed.error ?? summary.error) && (
        <ErrorNotice
          title="The assignments cannot be shown"
          error={listed.error ?? summary.error}
          onRetry={() => {
            void listed.refetch();
            void summary.refetch();
          }}
        />
      )}
      {listed.data?.count === 0 && (
        <p className="soft">
          {summary.data?.comparisons === 0
            ? "Nothing is planned yet. Plan the study under Design first."
            : "No comparison fits these filters."}
        </p>
      )}
      <ul className={classes.rows} aria-label="Comparisons">
        {listed.data?.results.map((row) => (
          <Row
            key={row.position}
            row={row}
            mayChange={mayChange}
            isChosen={comparisons.has(row.position)}
            onChoose={() => setComparisons(toggled(comparisons, row.position))}
            places={places}
            onPlace={(id) => setPlaces(toggled(places, id))}
          />
        ))}
      </ul>
      {pages > 1 && (
        <nav className={classes.pages} aria-label="Pages">
          <Button
            variant="default"
            disabled={filters.page <= 1}
            onClick={() => narrow({ page: filters.page - 1 })}
          >
            Before
          </Button>
          <span className="soft small">
            Page {filters.page} of {pages}
          </span>
          <Button
            variant="default"
            disabled={filters.page >= pages}
            onClick={() => narrow({ page: filters.page + 1 })}
          >
            After
          </Button>
        </nav>
      )}
      {mayChange && (
        <fieldset className={classes.act} aria-label="Change what is chosen">
          <span role="status">
            {counted(comparisons.size, "comparison")} and {counted(places.size, "place")} chosen
          </span>
          <NativeSelect
            aria-label="To whom"
            value={whom}
            onChange={(event) => setWhom(event.currentTarget.value)}
            data={[
              { value: "", label: "To whom…" },
              ...active.map((one) => ({
                value: String(one.number),
                label: `Expert ${one.number}, ${one.name}`,
              })),
            ]}
          />
          <Button
            disabled={!whom || comparisons.size === 0 || act.isPending}
            onClick={() =>
              run({
                what: "give",
                expert: Number(whom),
                comparisons: [...comparisons],
                extra: false,
              })
            }
          >
            Give the comparisons
          </Button>
          <Button
            variant="default"
            disabled={!whom || places.size === 0 || act.isPending}
            onClick={() => run({ what: "move", places: [...places], to: Number(whom) })}
          >
            Move the places
          </Button>
          <Button
            variant="default"
            disabled={places.size === 0 || act.isPending}
            onClick={() => run({ what: "take-back", places: [...places] })}
          >
            Take back
          </Button>
          <Button
            variant="default"
            disabled={!summary.data?.free || active.length === 0 || act.isPending}
            onClick={() => run({ what: "share" })}
          >
            Share all free places evenly
          </Button>
        </fieldset>
      )}
      {mayChange && <Upload slug={slug} />}
    </Section>
  );
}

type RowProps = {
  row: AssignmentRow;
  mayChange: boolean;
  isChosen: boolean;
  onChoose: () => void;
  places: ReadonlySet<number>;
  onPlace: (id: number) => void;
};

function Row({ row, mayChange, isChosen, onChoose, places, onPlace }: RowProps) {
  const name = `Comparison ${row.position}`;
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        {mayChange ? (
          <Checkbox label={name} checked={isChosen} onChange={onChoose} />
        ) : (
          <strong>{name}</strong>
        )}
        <span className="soft small">
          <bdi>{row.external_id}</bdi> · {row.systems.join(" and ")}
          {row.is_withdrawn && " · withdrawn"}
        </span>
      </div>
      <PlaceButtons of={name} places={row.places} {...{ mayChange, onPlace }} chosen={places} />
    </li>
  );
}

function toggled(chosen: ReadonlySet<number>, one: number): ReadonlySet<number> {
  const next = new Set(chosen);
  if (!next.delete(one)) next.add(one);
  return next;
}
