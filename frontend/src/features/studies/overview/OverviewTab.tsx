import { Progress } from "~/components/Progress";
import { Section } from "~/components/Section";
import { counted } from "~/components/words";
import { useWorkspaceStudy } from "../workspace/workspace";

/** How far the study is. */
export default function OverviewTab() {
  const { counts } = useWorkspaceStudy();
  return (
    <Section title="Progress">
      <Progress
        label="Answers collected"
        done={counts.completed}
        total={counts.places}
        text={`${counts.completed.toLocaleString("en-GB")} of ${counted(counts.places, "answer")} collected`}
      />
    </Section>
  );
}
