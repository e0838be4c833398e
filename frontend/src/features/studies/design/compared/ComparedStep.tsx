import { useLingui } from "@lingui/react/macro";
import { Checkbox, Radio } from "@mantine/core";
import classes from "../Setup.module.css";
import { useSetting } from "../saving";
import { Drawing } from "./Drawing";
import { SystemChoice } from "./SystemChoice";

/** What is on the two sides that an expert compares. */
export function ComparedStep() {
  const { t } = useLingui();
  const compares = useSetting("compares");
  const runs = useSetting("runs");
  const guess = useSetting("asks_guess");
  return (
    <>
      <Radio.Group
        label={t`Experts compare`}
        value={compares.value}
        onChange={(next) => compares.choose(next as typeof compares.value)}
        error={compares.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="human_vs_system"
            label={t`People with a system`}
            description={t`The labels that people gave to a text, and the labels that a system predicted. This finds the metric that agrees with experts.`}
          />
          <Radio
            value="system_vs_system"
            label={t`Two systems`}
            description={t`Two predictions for the same text. This shows which system experts prefer.`}
          />
        </div>
      </Radio.Group>
      <Radio.Group
        label={t`Runs of the same model and method`}
        value={runs.value}
        onChange={(next) => runs.choose(next as typeof runs.value)}
        error={runs.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="averaged"
            label={t`Average them (recommended)`}
            description={t`The mean of their predictions counts as one system. Two runs of a method tell you little more than one, and counting both makes chance look like a finding.`}
          />
          <Radio
            value="single"
            label={t`Treat each run as a separate system`}
            description={t`Each run is compared separately. This takes more comparisons, and tests take into account which runs belong together. Choose it for questions about the runs themselves.`}
          />
        </div>
      </Radio.Group>
      <SystemChoice />
      <Checkbox
        label={t`At the end, ask experts to guess which side came from people`}
        description={t`This shows afterwards whether they could tell.`}
        checked={guess.value}
        onChange={(event) => guess.choose(event.currentTarget.checked)}
        error={guess.problem}
      />
      <Drawing key={compares.value} />
    </>
  );
}
