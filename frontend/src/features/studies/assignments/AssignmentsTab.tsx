import { msg, plural, t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Note } from "~/components/Note";
import { Section } from "~/components/Section";
import { inARow, inDigits, listed as inList, moment } from "~/languages/formats";
import { useWorkspaceStudy } from "../workspace/workspace";
import { AssignmentGrid } from "./AssignmentGrid";
import classes from "./AssignmentsTab.module.css";
import { BySpecialism } from "./BySpecialism";
import { type AssignmentRow, ROWS, useAct, useAssignments, useSummary } from "./calls";
import { PlaceButtons } from "./PlaceButtons";
import { ToWhom } from "./ToWhom";
import { Upload } from "./Upload";

const STATES = [
  { value: "", label: msg`Any state` },
  { value: "free", label: msg`With a free place` },
  { value: "given", label: msg`Assigned, not started` },
  { value: "in_hand", label: msg`In progress` },
  { value: "answered", label: msg`Answered` },
  { value: "skipped", label: msg`Skipped` },
];

/** Who answers which comparison: listed by comparison, and changed by the study's admins. */
export default function AssignmentsTab() {
  const { t } = useLingui();
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
    <Section title={t({ message: "Assignments", context: "tab of a study" })}>
      {summary.data && <p>{freeInWords(summary.data)}</p>}
      {mayChange && last && (
        <Note live>
          {last.sentence} {moment(last.at)}{" "}
          <button
            type="button"
            className="linklike"
            disabled={act.isPending}
            onClick={() => run({ what: "undo", event: last.event })}
          >
            <Trans>Undo</Trans>
          </button>
        </Note>
      )}
      {act.error && <ErrorNotice title={t`Nothing was changed`} error={act.error} />}
      {isWide && (
        <SegmentedControl
          aria-label={t`Show as`}
          value={isGrid ? "grid" : "list"}
          onChange={(value) => setIsGrid(value === "grid")}
          data={[
            { value: "list", label: t`A list of comparisons` },
            { value: "grid", label: t`A grid of comparisons and experts` },
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
              label={t`Find a text`}
              placeholder={t`Text id or comparison number`}
              value={filters.search}
              onChange={(event) => narrow({ search: event.currentTarget.value })}
            />
            <NativeSelect
              label={t`Expert`}
              value={filters.expert}
              onChange={(event) => narrow({ expert: event.currentTarget.value })}
              data={[
                { value: "", label: t`All experts` },
                ...experts.map((one) => ({
                  value: String(one.number),
                  label: expertInWords(one),
                })),
              ]}
            />
            <NativeSelect
              label={t`State`}
              value={filters.state}
              onChange={(event) => narrow({ state: event.currentTarget.value })}
              data={STATES.map(({ value, label }) => ({ value, label: t(label) }))}
            />
          </div>
          {(listed.isPending || summary.isPending) && <Loading />}
          {(listed.error ?? summary.error) && (
            <ErrorNotice
              title={t`The assignments could not be loaded`}
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
                ? t`There is no plan yet. Create one on the Design tab first.`
                : t`No comparisons match these filters.`}
            </p>
          )}
          <ul className={classes.rows} aria-label={t`Comparisons`}>
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
            pages={pages}
          />
          {mayChange && (
            <fieldset className={classes.act} aria-label={t`Actions for the selection`}>
              <span role="status">{chosenInWords(comparisons.size, places.size)}</span>
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
                <Trans>Assign the comparisons</Trans>
              </Button>
              <Button
                variant="default"
                disabled={!whom || places.size === 0 || act.isPending}
                onClick={() => run({ what: "move", places: [...places], to: Number(whom) })}
              >
                <Trans>Move the places</Trans>
              </Button>
              <Button
                variant="default"
                disabled={places.size === 0 || act.isPending}
                onClick={() => run({ what: "take-back", places: [...places] })}
              >
                <Trans>Unassign</Trans>
              </Button>
              <Button
                variant="default"
                disabled={!summary.data?.free || active.length === 0 || act.isPending}
                onClick={() => run({ what: "share" })}
              >
                <Trans>Assign all free places evenly</Trans>
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
  const { position } = row;
  const name = say`Comparison ${position}`;
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        {mayChange ? (
          <Checkbox label={name} checked={isChosen} onChange={onChoose} />
        ) : (
          <strong>{name}</strong>
        )}
        <span className="soft small">
          <bdi>{row.external_id}</bdi> · {inList(row.systems)}
          {row.is_withdrawn && <> · {say({ message: "withdrawn", context: "a text" })}</>}
        </span>
      </div>
      <PlaceButtons
        comparison={position}
        places={row.places}
        chosen={places}
        {...{ mayChange, onPlace }}
      />
    </li>
  );
}

type Summary = NonNullable<ReturnType<typeof useSummary>["data"]>;

function freeInWords({ free, places, comparisons }: Summary): string {
  const [some, all] = [inDigits(free), inDigits(places)];
  return plural(comparisons, {
    one: `${some} of ${all} places are free, in # comparison.`,
    other: `${some} of ${all} places are free, in # comparisons.`,
  });
}

function expertInWords({ number, answered, given, in_hand }: Summary["experts"][number]): string {
  const [some, open] = [inDigits(answered), inDigits(given + in_hand)];
  return say`Expert ${number} (${some} answered, ${open} open)`;
}

function chosenInWords(comparisons: number, places: number): string {
  const chosen = inARow([
    plural(comparisons, { one: "# comparison", other: "# comparisons" }),
    plural(places, { one: "# place", other: "# places" }),
  ]);
  return say`Chosen: ${chosen}`;
}

function toggled(chosen: ReadonlySet<number>, one: number): ReadonlySet<number> {
  const next = new Set(chosen);
  if (!next.delete(one)) next.add(one);
  return next;
}
