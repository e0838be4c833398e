import { t as say } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useAnalysisPlan } from "~/api/analysisPlan";
import type { Study } from "~/api/types";
import { Facts, Section } from "~/components/Section";
import { inDigits } from "~/languages/formats";
import { AnalysisPlanView } from "../AnalysisPlanView";
import { usePlan } from "../calls";
import { PlanView } from "../PlanView";
import { WhileItRuns } from "../running/WhileItRuns";
import { TryIt } from "../TryIt";
import { useWorkspaceStudy } from "../workspace/workspace";
import { CopyStudy } from "./ending/CopyStudy";
import { PutAway } from "./ending/PutAway";
import { Setup } from "./Setup";

/** What the study asks, of whom, and what it will compute: editable while it is a draft, read-only later. */
export default function DesignTab() {
  const study = useWorkspaceStudy();
  return (
    <>
      {study.state === "draft" ? <Setup study={study} /> : <Design study={study} />}
      <CopyStudy study={study} />
      <PutAway study={study} />
    </>
  );
}

function Design({ study }: { study: Study }) {
  const { t } = useLingui();
  // Nothing clickable is rendered before something that would push it away.
  const plans = [usePlan(study.slug), useAnalysisPlan(study.slug)];
  const isPlanned = plans.every((plan) => !plan.isPending);
  return (
    <>
      <Section title={t`Set-up`} aside={<TryIt slug={study.slug} />}>
        <Facts facts={factsOf(study)} />
      </Section>
      {isPlanned && study.role === "admin" && study.state !== "closed" && (
        <WhileItRuns study={study} />
      )}
      <PlanView slug={study.slug} />
      {isPlanned && <AnalysisPlanView slug={study.slug} />}
    </>
  );
}

function factsOf(study: Study): [string, string][] {
  return [
    [say`Dataset`, study.dataset.title],
    [
      say`Compares`,
      study.compares === "human_vs_system" ? say`People with a system` : say`Two systems`,
    ],
    [say`Systems`, inDigits(study.systems.length)],
    [
      say`Runs of the same model and method`,
      study.runs === "averaged" ? say`Averaged` : say`Each run is a separate system`,
    ],
    [say`Texts per system`, inDigits(study.instances_per_system)],
    [say`Experts per comparison`, inDigits(study.experts_per_comparison)],
    [say`Texts that each expert answers twice`, inDigits(study.repeats_per_expert)],
    [
      say`Assignment`,
      study.assigning === "named" ? say`To each expert by name` : say`From an open pool`,
    ],
    [say`Bars are drawn for shares above`, finely(study.display_threshold)],
    [say`Shares are rounded to`, roundingInWords(study)],
    [
      say`Texts on which a system gives itself away`,
      study.give_aways === "redraw" ? say`Replaced by others` : say`Kept and counted`,
    ],
    [say`Asked at the end`, study.asks_guess ? say`Which side came from people` : say`Nothing`],
    [say`Seed`, String(study.seed)],
  ];
}

/** A share that may be a fraction of a percent. */
const finely = (share: number) => inDigits(share, { style: "percent", maximumFractionDigits: 2 });

function roundingInWords({ display_mode: mode, display_step: step }: Study): string {
  if (mode === "grid") return say`Values that a text’s annotators can produce`;
  if (mode === "exact" || step === null) return say`Whole percentages`;
  const size = finely(step);
  return say`Steps of ${size}`;
}
