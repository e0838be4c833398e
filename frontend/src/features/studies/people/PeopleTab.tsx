import type { Study } from "~/api/types";
import { Fold } from "~/components/Fold";
import { Section } from "~/components/Section";
import { Inviting } from "../Inviting";
import { MembersTable } from "../MembersTable";
import { useWorkspaceStudy } from "../workspace/workspace";

/** Who takes part, and who is invited. */
export default function PeopleTab() {
  const study = useWorkspaceStudy();
  return (
    <Section title="People">
      <Inviting study={study} />
      <SimulatedMembers members={study.members.filter((member) => member.is_simulated)} />
    </Section>
  );
}

function SimulatedMembers({ members }: { members: Study["members"] }) {
  if (members.length === 0) return null;
  return (
    <Fold title={`Simulated experts (${members.length})`} rows={members.length}>
      <MembersTable members={members} />
    </Fold>
  );
}
