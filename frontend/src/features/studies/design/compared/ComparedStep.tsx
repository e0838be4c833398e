import { Checkbox, Radio } from "@mantine/core";
import classes from "../Setup.module.css";
import { useSetting } from "../saving";
import { Drawing } from "./Drawing";
import { SystemChoice } from "./SystemChoice";

/** What stands on the two sides that an expert compares. */
export function ComparedStep() {
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
          <Radio
            value="averaged"
            label="Are averaged (recommended)"
            description="The mean of their predictions is one system. Two runs of one method say little more than one, and counting both makes chance look like a finding."
          />
          <Radio
            value="single"
            label="Are systems of their own"
            description="Each run is compared alone: more comparisons, and tests that are told which runs belong together. For questions about the runs themselves."
          />
        </div>
      </Radio.Group>
      <SystemChoice />
      <Checkbox
        label="At the end, ask experts to guess which side came from people"
        description="Shows afterwards whether they could tell."
        checked={guess.value}
        onChange={(event) => guess.choose(event.currentTarget.checked)}
        error={guess.problem}
      />
      <Drawing key={compares.value} />
    </>
  );
}
