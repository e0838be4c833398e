import { useState } from "react";
import type { StudyOverview } from "~/api/types";
import { Table } from "~/components/lists/Table";
import { Progress } from "~/components/Progress";
import { ago, minutes, share } from "./words";

type Expert = StudyOverview["experts"][number];

const SHOWN = 20;

/** How far each expert is. Experts are numbers here: whose they are is on the people's tab. */
export function ExpertTable({ experts }: { experts: Expert[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <Table
        caption="Progress of each expert"
        rows={all ? experts : experts.slice(0, SHOWN)}
        keyOf={(one) => one.number}
        empty="Nobody answers this study yet."
        columns={[
          {
            name: "Expert",
            heads: true,
            cell: (one) => `Expert ${one.number}${one.is_active ? "" : ", left"}`,
          },
          {
            name: "Done",
            cell: (one) => (
              <Progress label={`Expert ${one.number}`} done={one.done} total={one.total} />
            ),
          },
          { name: "Last answer", numeric: true, cell: (one) => ago(one.last_answer) },
          { name: "Time per text", numeric: true, cell: (one) => minutes(one.habits.median_ms) },
          {
            name: "Side A chosen",
            numeric: true,
            cell: ({ habits }) =>
              habits.chose_one
                ? `${share(habits.a_share)} of ${habits.chose_one.toLocaleString("en-GB")}`
                : "–",
          },
        ]}
      />
      {experts.length > SHOWN && (
        <button type="button" className="linklike" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${SHOWN}` : `Show all ${experts.length} experts`}
        </button>
      )}
    </>
  );
}
