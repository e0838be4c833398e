import { Button, Checkbox, NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Note } from "~/components/Note";
import { Section } from "~/components/Section";
import { counted, moment } from "~/components/words";
import { useWorkspaceStudy } from "../workspace/workspace";
import { AssignmentGrid } from "./AssignmentGrid";
import classes from "./AssignmentsTab.module.css";
import { BySpecialism } from "./BySpecialism";
import { type AssignmentRow, ROWS, useAct, useAssignments, useSummary } from "./calls";
import { PlaceButtons } from "./PlaceButtons";
import { ToWhom } from "./ToWhom";
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
  const [comparisons, setComparisons] = useState<ReadonlySet<number>>(new Set());
  const [places, setPlaces] = useState<ReadonlySet<number>>(new Set());
  const [whom, setWhom] = useState("");
  const clear = () => {
    setComparisons(new Set());
    setPlaces(new Set());
  };
  const act = useAct(slug, clear);
  const mayChange = role === "admin" && studyState !== "closed";
  const experts = summary.data?.experts ?? [];
  const active = experts.filter((expert) => expert.is_active);
  const pages = Math.max(1, Math.ceil((listed.data?.count ?? 0) / ROWS));
  const narrow = (change: Partial<typeof filters>) => {
    setFilters({ ...filters, page: 1, ...change });
    clear();
  };
  const run = (what: Parameters<typeof act.mutate>[0]) => act.mutate(what);
  const last = summary.data?.last;
  const isWide = useMediaQuery("(min-width: 48em)", true, { getInitialValueInEffect: false });
  const [isGrid, setIsGrid] = useState(false);

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
      {isWide && (
        <SegmentedControl
          aria-label="Show as"
          value={isGrid ? "grid" : "list"}
          onChange={(value) => setIsGrid(value === "grid")}
          data={[
            { value: "list", label: "A list of comparisons" },
            { value: "grid", label: "A grid of comparisons and experts" },
          ]}
        />
      )}
      {isWide && isGrid && summary.data ? (
        <AssignmentGrid
          slug={slug}
          mayChange={mayChange}
          isPlanned={summary.data.comparisons > 0}
          experts={experts}
        />
      ) : (
        <>
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
          <Pager
            page={filters.page}
            isLast={filters.page >= pages}
            onPage={(page) => narrow({ page })}
            says={` of ${pages}`}
          />
          {mayChange && (
            <fieldset className={classes.act} aria-label="Change what is chosen">
              <span role="status">
                {counted(comparisons.size, "comparison")} and {counted(places.size, "place")} chosen
              </span>
              <ToWhom experts={experts} value={whom} onChange={setWhom} />
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
        </>
      )}
      {mayChange && <BySpecialism slug={slug} />}
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
