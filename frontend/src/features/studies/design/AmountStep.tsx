import { NumberInput, Radio } from "@mantine/core";
import { Facts } from "~/components/Section";
import { useWorkspaceStudy } from "../workspace/workspace";
import { Numbers } from "./Numbers";
import classes from "./Setup.module.css";
import { useSetting } from "./saving";

/** How many texts and experts, and what that makes together. */
export function AmountStep() {
  const study = useWorkspaceStudy();
  const instances = useSetting("instances_per_system");
  const experts = useSetting("experts_per_comparison");
  const repeats = useSetting("repeats_per_expert");
  const assigning = useSetting("assigning");
  return (
    <>
      <NumberInput
        label="Texts for each system"
        description="The original study took 28. Every system gets as many, and texts are used evenly."
        value={instances.value}
        onChange={(next) => typeof next === "number" && instances.type(next)}
        onBlur={instances.leave}
        error={instances.problem}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
      <NumberInput
        label="Experts for each comparison"
        description="The original study took 4. More experts tell you how far they agree."
        value={experts.value}
        onChange={(next) => typeof next === "number" && experts.type(next)}
        onBlur={experts.leave}
        error={experts.problem}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
      <NumberInput
        label="Texts that each expert answers twice"
        description="0: none. They come again at the end, and show how far experts repeat their own answers. Experts are told beforehand that some texts come twice."
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
        label="Who gets what"
        value={assigning.value}
        onChange={(next) => assigning.choose(next as typeof assigning.value)}
        error={assigning.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="open_pool"
            label="The next open text"
            description="Experts come when they like; whoever comes gets what is needed most."
          />
          <Radio
            value="named"
            label="Given to each expert by name"
            description="Everybody’s texts are settled when the study opens."
          />
        </div>
      </Radio.Group>
      <Facts facts={[["Seed of the drawing", String(study.seed)]]} />
    </>
  );
}
