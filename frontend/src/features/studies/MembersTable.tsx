import type { Study } from "~/api/types";
import { SimulatedMark } from "~/components/SimulatedMark";
import { Table } from "~/components/Table";
import { readable } from "~/components/words";

/** Who takes part, and how far each of them is. */
type Props = {
  members: Study["members"];
  /** For admins: make a link by which this member chooses a new password. */
  onRenew?: (number: number) => void;
};

export function MembersTable({ members, onRenew }: Props) {
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
        ...(onRenew
          ? [
              {
                name: "Lost password",
                cell: (member: Study["members"][number]) =>
                  member.role !== "admin" && (
                    <button
                      type="button"
                      className="linklike small"
                      aria-label={`New access link for ${member.name}`}
                      onClick={() => onRenew(member.number)}
                    >
                      New access link
                    </button>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}
