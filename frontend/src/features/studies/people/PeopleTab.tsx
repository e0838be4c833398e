import { useLingui } from "@lingui/react/macro";
import { Section } from "~/components/Section";
import { Inviting } from "../Inviting";
import { useWorkspaceStudy } from "../workspace/workspace";
import { AddAccounts } from "./AddAccounts";
import { Members, startedInWords } from "./Members";
import { Retention } from "./Retention";

/** Who takes part, and who is invited. */
export default function PeopleTab() {
  const { t } = useLingui();
  const study = useWorkspaceStudy();
  return (
    <Section title={t({ message: "People", context: "tab of a study" })}>
      <p>
        <strong>{startedInWords(study.members)}</strong>
      </p>
      <Inviting study={study}>{(onRenew) => <Members study={study} onRenew={onRenew} />}</Inviting>
      {study.role === "admin" && <AddAccounts slug={study.slug} />}
      <Retention study={study} />
    </Section>
  );
}
