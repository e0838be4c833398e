import { t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { NumberInput, Radio } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { percent } from "~/languages/formats";
import { useDisplays } from "../calls";
import classes from "../Setup.module.css";
import { useDraft, useSetting } from "../saving";
import own from "./Compared.module.css";

/** While somebody types, not every digit triggers a request. */
const PAUSE_MS = 300;
const GRID = "grid";

/** How the two sides are drawn, with what each way costs and reveals, measured while choosing. */
export function Drawing() {
  const { t } = useLingui();
  const { slug, compares } = useDraft();
  const threshold = useSetting("display_threshold");
  const step = useSetting("display_step");
  const layout = useSetting("layout");
  const giveAways = useSetting("give_aways");
  const [tried] = useDebouncedValue(threshold.value, PAUSE_MS);
  const displays = useDisplays(slug, tried, compares);
  const chosen = displays.data?.displays.find((one) => one.display_step === step.value);
  const isExact = step.value === null && compares === "system_vs_system";
  const [bar, original] = [percent(0.37), percent(0.1)];
  return (
    <>
      <h3>
        <Trans>How the two sides are drawn</Trans>
      </h3>
      <p className="soft">
        <Trans>
          Both sides are drawn as bars, following the same rules. Finer rounding is closer to what a
          system predicts. Coarser rounding hides better which side came from people: if five people
          judged a text, a bar of {bar} can only come from a system.
        </Trans>
      </p>
      <Radio.Group
        label={t`Layout of step 2`}
        value={layout.value}
        onChange={(next) => layout.choose(next as typeof layout.value)}
        error={layout.problem}
      >
        <div className={classes.choices}>
          <Radio
            value="aligned"
            label={t`One chart (recommended)`}
            description={t`One row for each label that either side shows, with A on the left and B on the right, so that the two shares of a label are next to each other.`}
          />
          <Radio
            value="separate"
            label={t`Two lists, as in the original study`}
            description={t`Each side lists its labels in the order of its own shares. Choose this to repeat the original study exactly.`}
          />
        </div>
      </Radio.Group>
      <NumberInput
        label={t`Draw labels with a share above`}
        description={t`Smaller shares have no bar on either side. The original study drew shares above ${original}.`}
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
          title={t`The rounding options could not be loaded`}
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
            label={t`Rounding of the bars`}
            value={isExact ? "0.01" : step.value === null ? GRID : String(step.value)}
            onChange={(next) => step.choose(next === GRID ? null : Number(next))}
            error={step.problem}
          >
            <div className={classes.choices}>
              {displays.data.displays.map((one) => (
                <Radio
                  key={one.display_step ?? GRID}
                  value={one.display_step === null ? GRID : String(one.display_step)}
                  label={<DisplayTitle title={one.title} isRecommended={one.is_recommended} />}
                  description={`${one.sentence} ${one.warning}`.trim()}
                />
              ))}
            </div>
          </Radio.Group>
        </>
      )}
      {compares === "human_vs_system" && (
        <Radio.Group
          label={t`Texts on which a system gives itself away`}
          description={awayInWords(chosen?.given_away)}
          value={giveAways.value}
          onChange={(next) => giveAways.choose(next as typeof giveAways.value)}
          error={giveAways.problem}
        >
          <div className={classes.choices}>
            <Radio
              value="keep"
              label={t`Keep and count them (recommended)`}
              description={t`Results show how much they matter. Leaving them out would favour the systems that predicted them worst.`}
            />
            <Radio
              value="redraw"
              label={t`Draw another text instead`}
              description={t`Only for that system, and only while there are other texts. The plan says how many texts were replaced for each system.`}
            />
          </div>
        </Radio.Group>
      )}
      <p className={own.after}>
        <Trans>
          When you create the plan, all of its comparisons are measured in the same way.
        </Trans>
      </p>
    </>
  );
}

function DisplayTitle({ title: name, isRecommended }: { title: string; isRecommended: boolean }) {
  return isRecommended ? <Trans>{name} (recommended)</Trans> : name;
}

function awayInWords(given: number | null | undefined): string {
  if (given === null || given === undefined) {
    return say`If the bars of a side add up to less than people’s bars ever do, or if there are more of them, that side can only come from a system.`;
  }
  const share = percent(given);
  return say`If the bars of a side add up to less than people’s bars ever do, or if there are more of them, that side can only come from a system. With the current settings this happens in ${share} of comparisons.`;
}
