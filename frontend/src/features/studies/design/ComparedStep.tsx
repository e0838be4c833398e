import { Checkbox, Radio } from "@mantine/core";
import { Facts } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import classes from "./Setup.module.css";
import { useSetting } from "./saving";

/** What stands on the two sides that an expert compares. */
export function ComparedStep() {
  const { systems } = useWorkspaceStudy();
  const compares = useSetting("compares");
  const runs = useSetting("runs");
  const guess = useSetting("asks_guess");
  return (
    <>
      <Radio.Group
        label="Experts compare"
        value={compares.value}
        onChange={(next) => compares.choose(next as typeof compares.value)}
        error={compares.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="human_vs_system"
            label="People with a system"
            description="What people said about a text, and what a system predicted. This finds the metric that agrees with experts."
          />
          <Radio
            value="system_vs_system"
            label="Two systems"
            description="Two predictions for one text. This says which system experts prefer."
          />
        </div>
      </Radio.Group>
      <Radio.Group
        label="Several runs of one model and method"
        value={runs.value}
        onChange={(next) => runs.choose(next as typeof runs.value)}
        error={runs.problem}
      >
        <div className={classes.choices}>
          <Radio value="averaged" label="Are averaged" description="One system each." />
          <Radio
            value="separate"
            label="Are systems of their own"
            description="More comparisons; needed if the runs themselves are your question."
          />
        </div>
      </Radio.Group>
      <Checkbox
        label="At the end, ask experts to guess which side came from people"
        description="Shows afterwards whether they could tell."
        checked={guess.value}
        onChange={(event) => guess.choose(event.currentTarget.checked)}
        error={guess.problem}
      />
      <Facts wide facts={[[`Systems (${systems.length})`, systems.join(", ")]]} />
    </>
  );
}
