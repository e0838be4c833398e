import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Table } from "~/components/lists/Table";
import { Progress } from "~/components/Progress";
import { counted } from "~/components/words";
import { COMPARISONS_A_PAGE, usePlanComparisons } from "./calls";
import classes from "./PlanView.module.css";

type Props = { slug: string; systems: string[] };

/** Every comparison of a stored plan, a page at a time: which text, which systems, how many answers. */
export function PlanComparisons({ slug, systems }: Props) {
  const [wanted, setWanted] = useState({ system: "", search: "", page: 1 });
  const [search] = useDebouncedValue(wanted.search, 250);
  const listed = usePlanComparisons(slug, { ...wanted, search });
  const count = listed.data?.count ?? 0;
  const pages = Math.max(1, Math.ceil(count / COMPARISONS_A_PAGE));
  const narrow = (change: Partial<typeof wanted>) => setWanted({ ...wanted, page: 1, ...change });
  return (
    <>
      <div className={classes.filters}>
        <TextInput
          label="Find a text of the plan"
          placeholder="Its id, or the comparison’s number"
          value={wanted.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <NativeSelect
          label="System of the comparison"
          value={wanted.system}
          onChange={(event) => narrow({ system: event.currentTarget.value })}
          data={[{ value: "", label: "All systems" }, ...systems]}
        />
      </div>
      {listed.isPending && <Loading />}
      {listed.error && (
        <ErrorNotice
          title="The comparisons cannot be shown"
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      )}
      {listed.data && (
        <Table
          caption="Comparisons of the plan"
          rows={listed.data.results}
          keyOf={(row) => row.position}
          empty="No comparison fits."
          columns={[
            { name: "Number", numeric: true, cell: (row) => row.position },
            { name: "Text", heads: true, cell: (row) => row.external_id },
            {
              name: "Compared",
              cell: ({ systems: [first, second] }) =>
                second ? `${first} and ${second}` : `People and ${first}`,
            },
            {
              name: "Answers",
              cell: (row) => (
                <Progress
                  label={`Answers for comparison ${row.position}`}
                  done={row.completed}
                  total={row.places}
                />
              ),
            },
          ]}
        />
      )}
      <Pager
        page={wanted.page}
        isLast={wanted.page >= pages}
        onPage={(page) => narrow({ page })}
        says={` of ${pages}, ${counted(count, "comparison")}`}
      />
    </>
  );
}
