import { Radio } from "@mantine/core";
import { useAnalysisPlan, usePlanInWords, useSetAnalysisPlan } from "~/api/analysisPlan";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import classes from "./Setup.module.css";

/** One choice sets the whole analysis plan, and saves it. */
export function PlanChoices({ slug }: { slug: string }) {
  const plan = useAnalysisPlan(slug);
  const words = usePlanInWords(slug);
  const set = useSetAnalysisPlan(slug);
  if (words.error || plan.error) return null; // the plan below says so
  if (!words.data || !plan.data) return <Loading />;
  const { choices } = words.data;
  const chosen = choices.find((one) => one.is_made)?.name ?? "own";
  return (
    <>
      <Radio.Group
        label="What will be computed"
        description="Saved as soon as you choose. It replaces what is planned."
        value={set.isPending ? (set.variables && nameOf(choices, set.variables)) || chosen : chosen}
        onChange={(name) => {
          const choice = choices.find((one) => one.name === name);
          if (choice) set.mutate(choice.planned.map((row) => ({ ...row, note: "" })));
        }}
      >
        <div className={classes.choices}>
          {choices.map((one) => (
            <Radio key={one.name} value={one.name} label={one.title} description={one.sentence} />
          ))}
          {chosen === "own" && (
            <Radio
              value="own"
              label="Your own choice"
              description="As it stands below; made on the Results tab, or by removing some."
            />
          )}
        </div>
      </Radio.Group>
      {set.error && <ErrorNotice title="The plan was not changed" error={set.error} />}
    </>
  );
}

type Named = { name: string; planned: { analysis: string }[] };

/** The choice that is just being saved. */
function nameOf(choices: Named[], planned: { analysis: string }[]): string | undefined {
  const asked = planned.map(({ analysis }) => analysis).join(" ");
  return choices.find((one) => one.planned.map(({ analysis }) => analysis).join(" ") === asked)
    ?.name;
}
