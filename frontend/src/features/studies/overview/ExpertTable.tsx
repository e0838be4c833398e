import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { StudyOverview } from "~/api/types";
import { Table } from "~/components/lists/Table";
import { Progress } from "~/components/Progress";
import { ago, inDigits, NOTHING, percent } from "~/languages/formats";
import { minutes } from "./words";

type Expert = StudyOverview["experts"][number];

const SHOWN = 20;

/** Each expert's progress. Experts appear by number; the people's tab says who they are. */
export function ExpertTable({ experts }: { experts: Expert[] }) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const [few, many] = [inDigits(SHOWN), inDigits(experts.length)];
  return (
    <>
      <Table
        caption={t`Progress of each expert`}
        rows={all ? experts : experts.slice(0, SHOWN)}
        keyOf={(one) => one.number}
        empty={t`Nobody has answered yet.`}
        columns={[
          {
            name: t`Expert`,
            heads: true,
            cell: ({ number, is_active }) =>
              is_active ? t`Expert ${number}` : t`Expert ${number}, has left`,
          },
          {
            name: t({ message: "Done", context: "column" }),
            cell: ({ number, done, total }) => (
              <Progress label={t`Expert ${number}`} done={done} total={total} />
            ),
          },
          {
            name: t`Last answer`,
            numeric: true,
            cell: (one) => (one.last_answer ? ago(new Date(one.last_answer)) : t`none yet`),
          },
          { name: t`Time per text`, numeric: true, cell: (one) => minutes(one.habits.median_ms) },
          {
            name: t`Chose side A`,
            numeric: true,
            cell: ({ habits }) => {
              if (!habits.chose_one || habits.a_share === null) return NOTHING;
              const share = percent(habits.a_share);
              const answers = inDigits(habits.chose_one);
              return t`${share} of ${answers}`;
            },
          },
        ]}
      />
      {experts.length > SHOWN && (
        <button type="button" className="linklike" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? t`Show the first ${few}` : t`Show all ${many} experts`}
        </button>
      )}
    </>
  );
}
