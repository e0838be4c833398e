import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Table } from "~/components/lists/Table";
import { Progress } from "~/components/Progress";
import { isolated } from "~/languages/bidi";
import { listed as inList } from "~/languages/formats";
import { COMPARISONS_A_PAGE, usePlanComparisons } from "./calls";
import classes from "./PlanView.module.css";

type Props = { slug: string; systems: string[] };

/** Every comparison in a stored plan, one page at a time: which text, which systems, how many answers. */
export function PlanComparisons({ slug, systems }: Props) {
  const { t } = useLingui();
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
          label={t`Find a text in the plan`}
          placeholder={t`Text id or comparison number`}
          value={wanted.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <NativeSelect
          label={t`System in the comparison`}
          value={wanted.system}
          onChange={(event) => narrow({ system: event.currentTarget.value })}
          data={[{ value: "", label: t`All systems` }, ...systems]}
        />
      </div>
      {listed.isPending && <Loading />}
      {listed.error && (
        <ErrorNotice
          title={t`The comparisons could not be loaded`}
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      )}
      {listed.data && (
        <Table
          caption={t`Comparisons in the plan`}
          rows={listed.data.results}
          keyOf={(row) => row.position}
          empty={t`No matches.`}
          columns={[
            { name: t`Number`, numeric: true, cell: (row) => row.position },
            { name: t`Text`, heads: true, cell: (row) => <bdi>{row.external_id}</bdi> },
            {
              name: t`Compared`,
              cell: ({ systems: [first = "", second] }) => {
                const system = isolated(first);
                return second ? inList([first, second]) : t`People and ${system}`;
              },
            },
            {
              name: t`Answers`,
              cell: ({ position, completed, places }) => (
                <Progress
                  label={t`Answers for comparison ${position}`}
                  done={completed}
                  total={places}
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
        pages={pages}
        says={plural(count, { one: "# comparison", other: "# comparisons" })}
      />
    </>
  );
}
