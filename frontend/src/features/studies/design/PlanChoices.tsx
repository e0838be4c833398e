import { useLingui } from "@lingui/react/macro";
import { Radio } from "@mantine/core";
import { useState } from "react";
import { useAnalysisPlan, usePlanInWords, useSetAnalysisPlan } from "~/api/analysisPlan";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import classes from "./Setup.module.css";

/** One choice sets the whole analysis plan, and saves it. */
export function PlanChoices({ slug }: { slug: string }) {
  const { t } = useLingui();
  const plan = useAnalysisPlan(slug);
  const words = usePlanInWords(slug);
  const set = useSetAnalysisPlan(slug);
  // What was clicked is marked immediately, before the server has stored it.
  const [clicked, setClicked] = useState<string | null>(null);
  if (words.error || plan.error) return null; // the plan below says so
  if (!words.data || !plan.data) return <Loading />;
  const { choices } = words.data;
  const chosen = choices.find((one) => one.is_made)?.name ?? "own";
  return (
    <>
      <Radio.Group
        label={t`What will be computed`}
        description={t`Saved as soon as you choose. It replaces the current plan.`}
        value={clicked ?? chosen}
        onChange={(name) => {
          const choice = choices.find((one) => one.name === name);
          if (!choice) return;
          setClicked(name);
          set.mutate(
            choice.planned.map((row) => ({ ...row, note: "" })),
            { onSettled: () => setClicked(null) },
          );
        }}
      >
        <div className={classes.choices}>
          {choices.map((one) => (
            <Radio key={one.name} value={one.name} label={one.title} description={one.sentence} />
          ))}
          {chosen === "own" && (
            <Radio
              value="own"
              label={t`Your own choice`}
              description={t`The analyses listed below, chosen on the Results tab or by removing some.`}
            />
          )}
        </div>
      </Radio.Group>
      {set.error && <ErrorNotice title={t`The plan was not changed`} error={set.error} />}
    </>
  );
}
