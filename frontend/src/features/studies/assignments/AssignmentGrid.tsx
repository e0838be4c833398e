import { msg, plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect, TextInput, useDirection } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useRef,
  useState,
} from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { listed as inList } from "~/languages/formats";
import classes from "./AssignmentGrid.module.css";
import { type GridRow, ROWS, useAct, useGrid, type useSummary } from "./calls";
import { acts, between, type Cell, keyOf, moved, stateIn, WORDS } from "./gridCells";
import { ToWhom } from "./ToWhom";

type Experts = NonNullable<ReturnType<typeof useSummary>["data"]>["experts"];

const STATES = [
  { value: "", label: msg`All comparisons` },
  { value: "free", label: msg`With a free place` },
  { value: "held", label: msg`With a pending place` },
  { value: "answered", label: msg`With an answer` },
  { value: "full", label: msg`Without a free place` },
];
const LEGEND = ["answered", "in_hand", "given", "skipped", "seen", "open", "full"] as const;

type Props = { slug: string; mayChange: boolean; isPlanned: boolean; experts: Experts };

/** Comparisons by experts, for keyboard and mouse: who has what, and what may change hands. */
export function AssignmentGrid({ slug, mayChange, isPlanned, experts }: Props) {
  const { t } = useLingui();
  const { dir } = useDirection();
  const [filters, setFilters] = useState({
    state: "",
    system: "",
    search: "",
    expert: "",
    page: 1,
  });
  const [asked] = useDebouncedValue(filters, 250);
  const listed = useGrid(slug, asked);
  const [at, setAt] = useState<Cell>({ row: 0, column: 0 });
  const [from, setFrom] = useState<Cell | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const act = useAct(slug, () => setChosen(new Set()));
  const [whom, setWhom] = useState("");
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = listed.data?.results ?? [];
  const columns = experts.filter((one) => one.is_active || one.answered + one.given + one.in_hand);
  const pages = Math.max(1, Math.ceil((listed.data?.count ?? 0) / ROWS));
  const { give, places } = acts(rows, chosen);
  const focused = {
    row: Math.min(at.row, Math.max(0, rows.length - 1)),
    column: Math.min(at.column, Math.max(0, columns.length - 1)),
  };

  const narrow = (change: Partial<typeof filters>) => {
    setFilters({ ...filters, page: 1, ...change });
    setChosen(new Set());
  };
  const run = (what: Parameters<typeof act.mutate>[0]) => act.mutate(what);
  const key = ({ row, column }: Cell) =>
    keyOf(rows[row]?.position ?? -1, columns[column]?.number ?? -1);
  const toggle = (cell: Cell) => {
    const next = new Set(chosen);
    if (!next.delete(key(cell))) next.add(key(cell));
    setChosen(next);
  };
  const choose = (start: Cell, end: Cell) =>
    setChosen(new Set(between(start, end).map((cell) => key(cell))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (mayChange && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      toggle(focused);
      setFrom(null);
      return;
    }
    const to = moved(event.key, focused, rows.length, columns.length, dir === "rtl");
    if (!to) return;
    event.preventDefault();
    setAt(to);
    if (mayChange && event.shiftKey) {
      choose(from ?? focused, to);
      setFrom(from ?? focused);
    } else setFrom(null);
    cellAt(body.current, to)?.focus();
  };
  const onFocus = (event: FocusEvent<HTMLTableSectionElement>) => {
    // A screen reader can move to a cell without our keys.
    const to = placeOf(event.target);
    if (to.row !== focused.row || to.column !== focused.column) setAt(to);
  };
  const onClick = (event: MouseEvent<HTMLTableSectionElement>) => {
    const cell = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (!cell) return;
    const to = placeOf(cell);
    setAt(to);
    cell.focus();
    if (!mayChange) return;
    if (event.shiftKey) choose(from ?? focused, to);
    else toggle(to);
    setFrom(event.shiftKey ? (from ?? focused) : to);
  };
  const giveAll = () => {
    const numbers = new Set(give.map((one) => one.expert));
    const [only] = numbers;
    if (numbers.size === 1 && only !== undefined)
      run({
        what: "give",
        expert: only,
        comparisons: give.map((one) => one.position),
        extra: false,
      });
    else
      run({
        what: "upload",
        csv: ["comparison,expert", ...give.map((one) => `${one.position},${one.expert}`)].join(
          "\n",
        ),
        dry_run: false,
      });
  };
  const problems = act.data && "problems" in act.data ? act.data.problems : [];

  return (
    <>
      <div className={classes.filters}>
        <TextInput
          label={t`Find a text`}
          placeholder={t`Text id or number`}
          value={filters.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <TextInput
          label={t`System`}
          placeholder={t`Part of its name`}
          value={filters.system}
          onChange={(event) => narrow({ system: event.currentTarget.value })}
        />
        <NativeSelect
          label={t`Expert`}
          value={filters.expert}
          onChange={(event) => narrow({ expert: event.currentTarget.value })}
          data={[
            { value: "", label: t`All experts` },
            ...experts.map(({ number }) => ({
              value: String(number),
              label: t`Expert ${number}`,
            })),
          ]}
        />
        <NativeSelect
          label={t`Comparisons`}
          value={filters.state}
          onChange={(event) => narrow({ state: event.currentTarget.value })}
          data={STATES.map(({ value, label }) => ({ value, label: t(label) }))}
        />
      </div>
      {listed.isPending && <Loading />}
      {listed.error && (
        <ErrorNotice
          title={t`The assignments could not be loaded`}
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      )}
      {act.error && <ErrorNotice title={t`Nothing was changed`} error={act.error} />}
      {problems.length > 0 && (
        <div role="alert">
          <p>
            <Trans>Nothing was changed:</Trans>
          </p>
          <ul dir="auto">
            {problems.slice(0, 20).map((problem) => (
              <li key={problem}>{problem.replace(/^Line \d+: /, "")}</li>
            ))}
          </ul>
        </div>
      )}
      {listed.data?.count === 0 && (
        <p className="soft">
          {isPlanned
            ? t`No comparisons match these filters.`
            : t`There is no plan yet. Create one on the Design tab first.`}
        </p>
      )}
      {columns.length === 0 && (
        <p className="soft">
          <Trans>The study has no experts yet.</Trans>
        </p>
      )}
      {rows.length > 0 && columns.length > 0 && (
        <>
          <ul className={classes.legend} aria-label={t`What the cells mean`}>
            {LEGEND.map((state) => (
              <li key={state}>
                <i className={classes.cell} data-state={state} aria-hidden="true" />{" "}
                {t(WORDS[state])}
              </li>
            ))}
          </ul>
          <div className={classes.scroll}>
            <table
              className={classes.grid}
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid with keyboard navigation
              role="grid"
              aria-label={t`Comparisons and experts`}
              aria-multiselectable={mayChange}
              aria-rowcount={listed.data?.count}
              aria-colcount={columns.length + 1}
            >
              <thead>
                <tr>
                  <th scope="col">
                    <Trans>Comparison, and experts by number</Trans>
                  </th>
                  {columns.map((one) => (
                    <th key={one.number} scope="col" title={one.name}>
                      {one.number}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody ref={body} onKeyDown={onKeyDown} onFocus={onFocus} onClick={onClick}>
                {rows.map((row, place) => (
                  <Row
                    key={row.position}
                    row={row}
                    place={place}
                    columns={columns}
                    focused={focused.row === place ? focused.column : -1}
                    chosen={columns
                      .filter((one) => chosen.has(keyOf(row.position, one.number)))
                      .map((one) => one.number)
                      .join()}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      <Pager
        page={filters.page}
        isLast={filters.page >= pages}
        onPage={(page) => narrow({ page })}
        pages={pages}
      />
      {mayChange && (
        <fieldset className={classes.bar} aria-label={t`Actions for the selection`}>
          <span role="status">
            {plural(chosen.size, { one: "# cell chosen", other: "# cells chosen" })}
          </span>
          <Button disabled={give.length === 0 || act.isPending} onClick={giveAll}>
            <Trans>Assign to the experts of these cells</Trans>
          </Button>
          <Button
            variant="default"
            disabled={places.length === 0 || act.isPending}
            onClick={() => run({ what: "take-back", places })}
          >
            <Trans>Unassign</Trans>
          </Button>
          <ToWhom experts={columns} value={whom} onChange={setWhom} />
          <Button
            variant="default"
            disabled={!whom || places.length === 0 || act.isPending}
            onClick={() => run({ what: "move", places, to: Number(whom) })}
          >
            <Trans>Move</Trans>
          </Button>
          <span className="soft small">
            <Trans>
              Use the arrow keys to move, Space to choose, and Shift with an arrow key to choose
              several cells.
            </Trans>
          </span>
        </fieldset>
      )}
    </>
  );
}

type RowProps = {
  row: GridRow;
  place: number;
  columns: Experts;
  focused: number;
  chosen: string;
};

/** One comparison; rendered again only if something in it changed. */
const Row = memo(function Row({ row, place, columns, focused, chosen }: RowProps) {
  const { t } = useLingui();
  const marked = new Set(chosen.split(","));
  const { position } = row;
  return (
    <tr>
      <th scope="row">
        {row.position}{" "}
        <span className="soft">
          <bdi>{row.external_id}</bdi> · {inList(row.systems)}
          {row.is_withdrawn && <> · {t({ message: "withdrawn", context: "a text" })}</>}
        </span>
      </th>
      {columns.map((one, column) => {
        const { number } = one;
        const state = stateIn(row, number);
        const how = t(WORDS[state]);
        return (
          <td
            key={one.number}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
            role="gridcell"
            className={classes.cell}
            data-state={state}
            data-row={place}
            data-column={column}
            tabIndex={focused === column ? 0 : -1}
            aria-selected={marked.has(String(one.number))}
            aria-label={t`Comparison ${position}, expert ${number}: ${how}`}
          />
        );
      })}
    </tr>
  );
});

function cellAt(body: HTMLElement | null, { row, column }: Cell): HTMLElement | null {
  return body?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) ?? null;
}

function placeOf({ dataset }: HTMLElement): Cell {
  return { row: Number(dataset.row), column: Number(dataset.column) };
}
