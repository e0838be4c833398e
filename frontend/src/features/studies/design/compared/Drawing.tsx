import { NumberInput, Radio } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { useDisplays } from "../calls";
import classes from "../Setup.module.css";
import { useDraft, useSetting } from "../saving";
import own from "./Compared.module.css";

/** While somebody types, not every digit is asked about. */
const PAUSE_MS = 300;
const GRID = "grid";

/** How the two sides are drawn, with what each way costs and gives away, measured as one chooses. */
export function Drawing() {
  const { slug, compares } = useDraft();
  const threshold = useSetting("display_threshold");
  const step = useSetting("display_step");
  const layout = useSetting("layout");
  const giveAways = useSetting("give_aways");
  const [tried] = useDebouncedValue(threshold.value, PAUSE_MS);
  const displays = useDisplays(slug, tried, compares);
  const chosen = displays.data?.displays.find((one) => one.display_step === step.value);
  const isExact = step.value === null && compares === "system_vs_system";
  return (
    <>
      <h3>How the two sides are drawn</h3>
      <p className="soft">
        Both sides are drawn as bars, by one rule. Finer bars are nearer to what a system predicts.
        Coarser ones hide better which side came from people: where five people judged a text, a bar
        of 37% can only be a system’s.
      </p>
      <Radio.Group
        label="Both sides in step 2"
        value={layout.value}
        onChange={(next) => layout.choose(next as typeof layout.value)}
        error={layout.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="aligned"
            label="One chart (recommended)"
            description="A row for each label that either side shows, A to the left of it and B to the right: the two shares of a label stand side by side."
          />
          <Radio
            value="separate"
            label="Two lists, as in the original study"
            description="Each side lists its labels in the order of its own shares. Take it to repeat the original study exactly."
          />
        </div>
      </Radio.Group>
      <NumberInput
        label="Labels are drawn above"
        description="Smaller shares have no bar on either side. The original study drew what was above 10%."
        value={Math.round(1000 * threshold.value) / 10}
        onChange={(next) => typeof next === "number" && threshold.type(next / 100)}
        onBlur={threshold.leave}
        error={threshold.problem}
        suffix="%"
        min={0}
        max={99}
        decimalScale={1}
        allowNegative={false}
      />
      {displays.error && (
        <ErrorNotice
          title="The ways to draw cannot be measured"
          error={displays.error}
          onRetry={() => void displays.refetch()}
        />
      )}
      {displays.isPending && <Loading />}
      {displays.data && (
        <>
          <p role="status" className="small">
            {displays.data.sentence}
          </p>
          <Radio.Group
            label="Bars are rounded"
            value={isExact ? "0.01" : step.value === null ? GRID : String(step.value)}
            onChange={(next) => step.choose(next === GRID ? null : Number(next))}
            error={step.problem}
          >
            <div className={classes.choices}>
              {displays.data.displays.map((one) => (
                <Radio
                  key={one.display_step ?? GRID}
                  value={one.display_step === null ? GRID : String(one.display_step)}
                  label={one.is_recommended ? `${one.title} (recommended)` : one.title}
                  description={`${one.sentence} ${one.warning}`.trim()}
                />
              ))}
            </div>
          </Radio.Group>
        </>
      )}
      {compares === "human_vs_system" && (
        <Radio.Group
          label="Texts on which a system gives itself away"
          description={awayInWords(chosen?.given_away)}
          value={giveAways.value}
          onChange={(next) => giveAways.choose(next as typeof giveAways.value)}
          error={giveAways.problem}
        >
          <div className={classes.choices}>
            <Radio
              value="keep"
              label="Are kept and counted (recommended)"
              description="Results say how much they matter. Leaving them out would favour systems whose worst predictions they are."
            />
            <Radio
              value="redraw"
              label="Another text is drawn instead"
              description="For that system only, as far as there are other texts. The plan says from how many texts each system was kept away."
            />
          </div>
        </Radio.Group>
      )}
      <p className={own.after}>
        When the plan is made, all its comparisons are measured in the same way.
      </p>
    </>
  );
}

function awayInWords(share: number | null | undefined): string {
  const what =
    "A side whose bars sum to less, or that has more bars, than any side of people can only be a system’s.";
  return share === null || share === undefined
    ? what
    : `${what} As you draw now, that is so in ${Math.round(100 * share)}% of comparisons.`;
}
