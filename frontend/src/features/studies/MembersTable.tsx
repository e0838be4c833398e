import type { Study } from "~/api/types";
import { SimulatedMark } from "~/components/SimulatedMark";
import { Table } from "~/components/Table";
import { readable } from "~/components/words";

/** Who takes part, and how far each of them is. */
export function MembersTable({ members }: { members: Study["members"] }) {
  return (
    <Table
      caption="Members of the study"
      rows={members}
      keyOf={(member) => member.number}
      empty="Nobody takes part yet."
      columns={[
        { name: "Number", numeric: true, cell: (member) => member.number },
        {
          name: "Name",
          heads: true,
          cell: (member) => (
            <>
              {member.name || "–"} {member.is_simulated && <SimulatedMark what="Simulated" />}
            </>
          ),
        },
        { name: "Role", cell: (member) => readable(member.role) },
        {
          name: "Taken up",
          numeric: true,
          cell: (member) => (member.role === "expert" ? member.claimed : ""),
        },
        {
          name: "Done",
          numeric: true,
          cell: (member) => (member.role === "expert" ? member.completed : ""),
        },
      ]}
    />
  );
}
