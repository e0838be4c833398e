import { useLingui } from "@lingui/react/macro";
import { NumberInput, Radio } from "@mantine/core";
import { Facts } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import { Numbers } from "./Numbers";
import classes from "./Setup.module.css";
import { useSetting } from "./saving";

/** How many texts and experts, and what that amounts to. */
export function AmountStep() {
  const { t } = useLingui();
  const study = useWorkspaceStudy();
  const instances = useSetting("instances_per_system");
  const experts = useSetting("experts_per_comparison");
  const repeats = useSetting("repeats_per_expert");
  const assigning = useSetting("assigning");
  return (
    <>
      <NumberInput
        label={t`Texts per system`}
        description={t`The original study used 28. All systems get the same number, and the texts are used evenly.`}
        value={instances.value}
        onChange={(next) => typeof next === "number" && instances.type(next)}
        onBlur={instances.leave}
        error={instances.problem}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
      <NumberInput
        label={t`Experts per comparison`}
        description={t`The original study used 4. With more experts you learn how far they agree.`}
        value={experts.value}
        onChange={(next) => typeof next === "number" && experts.type(next)}
        onBlur={experts.leave}
        error={experts.problem}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
      <NumberInput
        label={t`Texts that each expert answers twice`}
        description={t`0 means none. These texts are shown again at the end, to see how consistently experts answer. Experts are told in advance that some texts appear twice.`}
        value={repeats.value}
        onChange={(next) => typeof next === "number" && repeats.type(next)}
        onBlur={repeats.leave}
        error={repeats.problem}
        min={0}
        max={1000}
        allowDecimal={false}
        allowNegative={false}
      />
      <Numbers slug={study.slug} instances={instances.value} experts={experts.value} />
      <Radio.Group
        label={t`Who gets which text`}
        value={assigning.value}
        onChange={(next) => assigning.choose(next as typeof assigning.value)}
        error={assigning.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="open_pool"
            label={t`The next open text`}
            description={t`Experts start when they like and get the text that needs an answer most.`}
          />
          <Radio
            value="named"
            label={t`Assigned to each expert by name`}
            description={t`Everyone’s texts are fixed when the study opens.`}
          />
        </div>
      </Radio.Group>
      <Facts facts={[[t`Seed for the random draw`, String(study.seed)]]} />
    </>
  );
}
